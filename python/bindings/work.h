// Long work without the GIL, which Ctrl-C interrupts and which tells Python how far it is.
#pragma once

#include <muster/muster.h>
#include <pybind11/pybind11.h>

#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace muster::python {

namespace py = pybind11;

// How one call of the library is to run, and what it had to say. Python makes one per call.
class Work {
 public:
  // `progress` is None, or is called with (step, done, total) on the thread that called.
  Work(int threads, py::object progress) : threads_(threads), progress_(std::move(progress)) {}

  // Sets what all options of the front door have.
  template <class Options>
  void apply_to(Options& options) {
    options.threads = threads_;
    options.cancel = stop_.get_token();
    options.notice = [this](const std::string& message) { note(message); };
    if (!progress_.is_none())
      options.progress = [this](std::string_view step, std::size_t done, std::size_t total) {
        reached(step, done, total);
      };
  }

  // Calls `job` without the GIL: on this thread if it is short, else on another, while this one
  // hands signals and progress to Python. What Python raises there cancels the job.
  void run(const std::function<void()>& job, bool is_short);

  // Sentences for a person, such as which item was left out.
  std::vector<std::string> notices() const { return notices_; }

 private:
  struct Reached {
    std::string step;
    std::size_t done, total;
  };

  void note(const std::string& message);
  void reached(std::string_view step, std::size_t done, std::size_t total);
  // With the GIL held; throws what Python raises.
  void tell_python();

  int threads_;
  py::object progress_;
  std::stop_source stop_;
  std::mutex mutex_;  // of what follows
  std::vector<std::string> notices_;
  std::vector<Reached> news_;  // the last state of each step since Python was told
};

}  // namespace muster::python
