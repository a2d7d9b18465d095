// Long work reports through a callback; the library itself never prints.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

namespace muster {

// Called with the name of the step, how much of it is done and how much there is. May be called
// from several threads at once; an empty function is fine.
using Progress = std::function<void(std::string_view step, size_t done, size_t total)>;

// Counts one step of `total` units; tick() is thread-safe.
class ProgressStep {
 public:
  ProgressStep(const Progress& progress, std::string name, size_t total)
      : progress_(progress), name_(std::move(name)), total_(total) {
    if (progress_) progress_(name_, 0, total_);
  }
  void tick(size_t units = 1) {
    const size_t done = done_.fetch_add(units) + units;
    if (progress_) progress_(name_, done, total_);
  }

 private:
  const Progress& progress_;
  std::string name_;
  size_t total_;
  std::atomic<size_t> done_{0};
};

}  // namespace muster
