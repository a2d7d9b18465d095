// Adds the time until it goes out of scope to one entry of `seconds`, if that is not null.
#pragma once

#include <chrono>
#include <ctime>

#include "muster/pipeline/pipeline.h"

namespace muster {

inline double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
// Of all threads of the process: other work on the machine does not count.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Stopwatch {
 public:
  Stopwatch(StageSeconds* seconds, const char* stage, double (*clock)() = wall_seconds)
      : seconds_(seconds), stage_(stage), clock_(clock), start_(clock()) {}
  ~Stopwatch() {
    if (seconds_) (*seconds_)[stage_] += clock_() - start_;
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  StageSeconds* seconds_;
  const char* stage_;
  double (*clock_)();
  double start_;
};

}  // namespace muster
