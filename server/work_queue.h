// Jobs that wait for one of a fixed number of threads. The queue is bounded: a job that finds it
// full is refused at once, so that waiting costs bounded memory and time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace muster::server {

class WorkQueue {
 public:
  WorkQueue(int threads, size_t capacity);
  ~WorkQueue() { finish(); }
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // False if `capacity` jobs are waiting already, or after finish(). A job must not throw.
  bool push(std::function<void()> job);
  // Takes no more jobs, and returns when all that were taken are done.
  void finish();
  // Jobs that no thread has begun.
  size_t waiting() const;
  size_t capacity() const { return capacity_; }

 private:
  void work();

  const size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool closing_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace muster::server
