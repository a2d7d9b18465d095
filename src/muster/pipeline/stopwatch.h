// Adds the time until it goes out of scope to one entry of `seconds`, if that is not null.
#pragma once

#include <chrono>

#include "muster/pipeline/pipeline.h"

namespace muster {

class Stopwatch {
 public:
  Stopwatch(StageSeconds* seconds, const char* stage) : seconds_(seconds), stage_(stage) {}
  ~Stopwatch() {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    if (seconds_) (*seconds_)[stage_] += spent.count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  StageSeconds* seconds_;
  const char* stage_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace muster
