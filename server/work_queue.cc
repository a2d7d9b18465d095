#include "server/work_queue.h"

#include <new>
#include <utility>

namespace muster::server {

WorkQueue::WorkQueue(int threads, size_t capacity) : capacity_(capacity) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

void WorkQueue::finish() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  threads_.clear();  // joins them
}

bool WorkQueue::push(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    if (closing_ || jobs_.size() >= capacity_) return false;
    try {
      jobs_.push_back(std::move(job));
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
  changed_.notify_one();
  return true;
}

size_t WorkQueue::waiting() const {
  const std::lock_guard lock(mutex_);
  return jobs_.size();
}

void WorkQueue::work() {
  while (true) {
    std::function<void()> job;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job();
  }
}

}  // namespace muster::server
