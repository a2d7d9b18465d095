// Training in the studio: one at a time, in a thread of its own, while the old model answers. The
// model file is exchanged at once when all is done.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "muster/muster.h"

namespace muster::server {

class Trainer {
 public:
  enum class State { kIdle, kRunning, kDone, kCancelled, kFailed };
  struct Status {
    State state = State::kIdle;
    uint64_t number = 0;  // of the training, counted from 1
    Effort effort = Effort::kNormal;
    std::string step;
    size_t done = 0, total = 0;
    double seconds = 0;
    std::string message;  // what is to come, or why it failed
  };

  // `finished` is called by the thread with the model before the state changes, and keeps it.
  Trainer(std::filesystem::path folder, std::function<void(const Model&)> finished);
  // Ends a training that is under way.
  ~Trainer();

  // False if one is under way.
  bool start(Effort effort);
  void cancel();
  Status status() const;

 private:
  void run(Effort effort, std::stop_token stop);

  const std::filesystem::path folder_;
  const std::function<void(const Model&)> finished_;
  mutable std::mutex mutex_;
  Status status_;
  std::chrono::steady_clock::time_point begun_;
  std::jthread thread_;
};

const char* state_name(Trainer::State state);
const char* effort_name(Effort effort);

}  // namespace muster::server
