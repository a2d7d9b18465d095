#include "server/studio/trainer.h"

#include "server/log.h"

namespace muster::server {

Trainer::Trainer(std::filesystem::path folder, std::function<void(const Model&)> finished)
    : folder_(std::move(folder)), finished_(std::move(finished)) {}

Trainer::~Trainer() { cancel(); }

bool Trainer::start(Effort effort) {
  const std::lock_guard lock(mutex_);
  if (status_.state == State::kRunning) return false;
  if (thread_.joinable()) thread_.join();  // has come to its end
  status_ = {State::kRunning, status_.number + 1, effort, "", 0, 0, 0, ""};
  begun_ = std::chrono::steady_clock::now();
  thread_ = std::jthread([this, effort](std::stop_token stop) {
    if (if_possible([&] { run(effort, stop); })) return;
    const std::lock_guard ended(mutex_);
    status_.state = State::kFailed;
    status_.message = "out of memory";
  });
  return true;
}

void Trainer::cancel() {
  const std::lock_guard lock(mutex_);
  thread_.request_stop();
}

Trainer::Status Trainer::status() const {
  const std::lock_guard lock(mutex_);
  Status out = status_;
  if (out.state == State::kRunning)
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  return out;
}

void Trainer::run(Effort effort, std::stop_token stop) {
  TrainOptions options;
  options.effort = effort;
  options.cancel = stop;
  options.progress = [this](std::string_view step, size_t done, size_t total) {
    const std::lock_guard lock(mutex_);
    status_.step = step;
    status_.done = done;
    status_.total = total;
  };
  options.notice = [this](const std::string& message) {
    if (!message.starts_with("auto:")) return;  // left-out files are in the report
    const std::lock_guard lock(mutex_);
    status_.message = message.substr(message.find(' ') + 1);
  };
  State state = State::kDone;
  std::string message;
  try {
    const Model model = train(folder_, options);
    if (stop.stop_requested()) throw Error(ErrorKind::kCancelled, "cancelled");
    finished_(model);
  } catch (const Error& error) {
    state = error.kind() == ErrorKind::kCancelled ? State::kCancelled : State::kFailed;
    message = state == State::kFailed ? error.what() : "";
  } catch (const std::exception& error) {
    state = State::kFailed;
    message = error.what();
  }
  if (state == State::kFailed) log_event("training failed", {{"message", message}});
  const std::lock_guard lock(mutex_);
  status_.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  status_.state = state;
  status_.message = message;
}

const char* state_name(Trainer::State state) {
  switch (state) {
    case Trainer::State::kIdle:
      return "idle";
    case Trainer::State::kRunning:
      return "running";
    case Trainer::State::kDone:
      return "done";
    case Trainer::State::kCancelled:
      return "cancelled";
    case Trainer::State::kFailed:
      break;
  }
  return "failed";
}

const char* effort_name(Effort effort) {
  if (effort == Effort::kQuick) return "quick";
  return effort == Effort::kNormal ? "normal" : "thorough";
}

}  // namespace muster::server
