#include "work.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <thread>

namespace muster::python {
namespace {

// Ctrl-C feels immediate, and the GIL is asked for rarely.
constexpr std::chrono::milliseconds kBetweenLooks{50};

// The job on a thread of its own.
class Worker {
 public:
  explicit Worker(const std::function<void()>& job)
      : thread_([this, &job] {
          try {
            job();
          } catch (...) {
            error_ = std::current_exception();
          }
          const std::lock_guard lock(mutex_);
          done_ = true;
          finished_.notify_one();
        }) {}

  // Whether the job is done by then.
  bool wait(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return finished_.wait_for(lock, time, [this] { return done_; });
  }
  // Joins the thread.
  std::exception_ptr join() {
    thread_.join();
    return error_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable finished_;
  bool done_ = false;
  std::exception_ptr error_;
  std::thread thread_;  // the last one: it uses the others
};

}  // namespace

void Work::note(const std::string& message) {
  const std::lock_guard lock(mutex_);
  notices_.push_back(message);
}

void Work::reached(std::string_view step, std::size_t done, std::size_t total) {
  const std::lock_guard lock(mutex_);
  if (news_.empty() || news_.back().step != step)
    news_.push_back({std::string(step), done, total});
  else if (done >= news_.back().done)  // several threads tell, not always in order
    news_.back() = {std::string(step), done, total};
}

void Work::tell_python() {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  std::vector<Reached> news;
  {
    const std::lock_guard lock(mutex_);
    news.swap(news_);
  }
  for (const Reached& one : news) progress_(one.step, one.done, one.total);
}

void Work::run(const std::function<void()>& job, bool is_short) {
  if (is_short) {
    {
      const py::gil_scoped_release release;
      job();
    }
    return tell_python();
  }
  std::exception_ptr raised, error;  // by Python here, by the job there
  const auto look = [&] {
    if (raised) return;
    try {
      tell_python();
    } catch (...) {
      raised = std::current_exception();
      stop_.request_stop();
    }
  };
  {
    const py::gil_scoped_release release;
    Worker worker(job);
    while (!worker.wait(kBetweenLooks)) {
      const py::gil_scoped_acquire acquire;
      look();
    }
    error = worker.join();
  }
  if (!raised && error) std::rethrow_exception(error);
  look();
  if (raised) std::rethrow_exception(raised);
}

}  // namespace muster::python
