#include "server/decoding/decoding_processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "server/decoding/wire.h"
#include "server/log.h"

extern char** environ;

namespace muster::server {
namespace {

using Clock = std::chrono::steady_clock;

Error cannot_start(const char* reason) {
  return {ErrorKind::kRuntime,
          fmt::format("a process that decodes pictures cannot be started: {}", reason)};
}

// What a program needs to be loaded, and nothing that may be a secret. One thread is enough.
std::vector<std::string> environment() {
  std::vector<std::string> out{"OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1"};
  for (char** entry = environ; *entry != nullptr; ++entry)
    for (const char* prefix : {"LD_", "ASAN_", "UBSAN_", "TSAN_", "LSAN_"})
      if (std::string_view(*entry).starts_with(prefix)) out.emplace_back(*entry);
  return out;
}

// With `socket` as its descriptor 0 and nothing else that is ours.
pid_t spawn(const std::string& program, int socket) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, socket, 0);
  for (const int output : {1, 2})
    posix_spawn_file_actions_addopen(&files, output, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&files, 3);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);  // an interrupt at the terminal is for the server
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> entries = environment();
  std::vector<char*> environment_of;
  for (std::string& entry : entries) environment_of.push_back(entry.data());
  environment_of.push_back(nullptr);
  std::string name = "muster-serve", mode = "--decode";
  char* const arguments[] = {name.data(), mode.data(), nullptr};
  pid_t id = -1;
  const int error =
      ::posix_spawn(&id, program.c_str(), &files, &attributes, arguments, environment_of.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw cannot_start(std::strerror(error));
  return id;
}

}  // namespace

// One of them, and our end of the sockets.
class DecodingProcesses::Process {
 public:
  explicit Process(const std::string& program) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      throw cannot_start(std::strerror(errno));
    socket_ = ends[0];
    ::fcntl(socket_, F_SETFL, O_NONBLOCK);  // ours only; the other end waits
    constexpr int kBuffer = 1 << 20;        // a usual picture passes in one piece
    for (const int end : ends) ::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &kBuffer, sizeof kBuffer);
    try {
      id_ = spawn(program, ends[1]);
    } catch (...) {
      ::close(ends[1]);
      ::close(socket_);
      throw;
    }
    ::close(ends[1]);
    int32_t error = 0;
    begin();
    if (!receive(&error, sizeof error)) {
      end();
      throw cannot_start("it ends at once");
    }
    filter_error_ = error;
  }
  ~Process() { end(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t id() const { return id_; }
  int filter_error() const { return filter_error_; }

  bool is_alive() {
    if (id_ > 0 && ::waitpid(id_, nullptr, WNOHANG) != 0) id_ = -1;
    return id_ > 0;
  }

  // From here on it has kDecodingSeconds, and a little, for what follows.
  void begin() { deadline_ = Clock::now() + std::chrono::seconds(kDecodingSeconds + 1); }

  // False if it is dead, or too late.
  bool send(const void* data, size_t size) {
    for (const auto* at = static_cast<const char*>(data); size > 0;) {
      const ssize_t count = ::send(socket_, at, size, MSG_NOSIGNAL);
      if (!went_well(count, POLLOUT)) return false;
      if (count < 0) continue;
      at += count;
      size -= static_cast<size_t>(count);
    }
    return true;
  }
  bool receive(void* out, size_t size) {
    for (auto* at = static_cast<char*>(out); size > 0;) {
      const ssize_t count = ::recv(socket_, at, size, 0);
      if (count == 0 || !went_well(count, POLLIN)) return false;
      if (count < 0) continue;
      at += count;
      size -= static_cast<size_t>(count);
    }
    return true;
  }

 private:
  // Waits if there was nothing to be done; false after an error or the deadline.
  bool went_well(ssize_t count, short event) {
    if (count >= 0 || errno == EINTR) return true;
    if (errno != EAGAIN) return false;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now());
    pollfd one{socket_, event, 0};
    const int ready = left.count() > 0 ? ::poll(&one, 1, static_cast<int>(left.count())) : 0;
    return ready > 0 || (ready < 0 && errno == EINTR);
  }

  void end() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
    if (id_ <= 0) return;
    ::kill(id_, SIGKILL);
    while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
  }

  pid_t id_ = -1;
  int socket_ = -1, filter_error_ = 0;
  Clock::time_point deadline_;
};

DecodingProcesses::DecodingProcesses(std::filesystem::path program) : program_(std::move(program)) {
  idle_.push_back(std::make_unique<Process>(program_));
  filter_error_ = idle_.back()->filter_error();
}

DecodingProcesses::~DecodingProcesses() = default;

std::unique_ptr<DecodingProcesses::Process> DecodingProcesses::take() const {
  std::unique_ptr<Process> out;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      out = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  return out && out->is_alive() ? std::move(out) : std::make_unique<Process>(program_);
}

void DecodingProcesses::give_back(std::unique_ptr<Process> process) const {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(process));
}

std::vector<int> DecodingProcesses::idle_ids() const {
  const std::lock_guard lock(mutex_);
  std::vector<int> out;
  for (const auto& process : idle_) out.push_back(process->id());
  return out;
}

Pixels DecodingProcesses::decode(const EncodedPicture& picture, int longest_side_px) const {
  std::unique_ptr<Process> process = take();
  const Error failed(ErrorKind::kData,
                     fmt::format("{}: decoding it failed or took more than {} s; leave it out",
                                 picture.name, kDecodingSeconds));
  const AskedPicture asked{picture.name.size(), picture.bytes.size(), picture.max_pixels,
                           longest_side_px};
  DecodedPicture head;
  process->begin();
  if (!process->send(&asked, sizeof asked) ||
      !process->send(picture.name.data(), picture.name.size()) ||
      !process->send(picture.bytes.data(), picture.bytes.size()) ||
      !process->receive(&head, sizeof head))
    throw failed;
  // Nothing that it says is believed: its codec may have been taken over.
  const uint64_t most = picture.max_pixels > 0 ? picture.max_pixels : uint64_t{100'000'000};
  if (head.failed != 0) {
    std::string reason(std::min<uint64_t>(head.bytes, kLongestReason), '\0');
    if (head.bytes > kLongestReason || !process->receive(reason.data(), reason.size()))
      throw failed;
    give_back(std::move(process));
    throw Error(ErrorKind::kData, reason);
  }
  if (head.width < 1 || head.height < 1) throw failed;
  const uint64_t width = static_cast<uint64_t>(head.width),
                 height = static_cast<uint64_t>(head.height);
  if (width > most / height || head.bytes != 3 * width * height) throw failed;
  Pixels out{head.width, head.height, std::vector<uint8_t>(head.bytes)};
  if (!process->receive(out.rgb.data(), out.rgb.size())) throw failed;
  give_back(std::move(process));
  return out;
}

std::unique_ptr<DecodingProcesses> start_decoding() {
  auto out = std::make_unique<DecodingProcesses>();
  if (out->filter_error() != 0)
    log_event("warning", {{"message", fmt::format("the system does not restrict the processes that "
                                                  "decode pictures ({}); they have limits only",
                                                  std::strerror(out->filter_error()))}});
  return out;
}

}  // namespace muster::server
