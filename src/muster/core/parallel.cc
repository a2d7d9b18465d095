#include "muster/core/parallel.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace muster {
namespace {

using Body = std::function<void(size_t begin, size_t end)>;

// How long a thread that has nothing to do looks for work before it sleeps. Loops often follow each
// other closely, and waking a thread takes about as long.
constexpr std::chrono::microseconds kLookAround{30};

// Whether `condition` came to hold within kLookAround.
template <typename Condition>
bool holds_soon(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + kLookAround;
  do {
    if (condition()) return true;
    std::this_thread::yield();
  } while (std::chrono::steady_clock::now() < end);
  return condition();
}

thread_local bool inside = false;  // a body of a loop of several chunks

// One parallel_for. Lives on the stack of its caller, who stays until no helper is left.
class Loop {
 public:
  Loop(size_t n, size_t grain, const Body& body)
      : n_(n), grain_(grain), chunks_((n + grain - 1) / grain), body_(body) {}

  size_t chunks() const { return chunks_; }
  bool has_chunks_left() const { return next_.load(std::memory_order_relaxed) < chunks_; }

  void run_chunks() {
    const bool before = std::exchange(inside, inside || chunks_ > 1);
    try {
      for (size_t c = next_++; c < chunks_; c = next_++)
        body_(c * grain_, std::min(n_, (c + 1) * grain_));
    } catch (...) {
      next_ = chunks_;  // the others stop after the chunk that they are at
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
    inside = before;
  }

  void rethrow_error() const {
    if (error_) std::rethrow_exception(error_);
  }

  std::atomic<size_t> helpers{0};

 private:
  const size_t n_, grain_, chunks_;
  const Body& body_;
  std::atomic<size_t> next_{0};
  std::mutex mutex_;
  std::exception_ptr error_;
};

// Threads that help with any loop that has chunks left, loops within loops as well. Whoever calls
// works on the own loop until its chunks are all begun and then waits only for chunks that others
// are at, so there is always somebody who gets on. If no helper can be started, callers do
// everything by themselves.
class Pool {
 public:
  static Pool& instance() {
    [[maybe_unused]] static const int registered =
        ::pthread_atfork(lock_before_fork, unlock_after_fork, begin_again_in_child);
    return *current();
  }

  size_t limit() const { return limit_.load(std::memory_order_relaxed); }

  void add_limit(size_t threads) {
    const std::lock_guard lock(mutex_);
    limits_.insert(threads);
    limit_ = *limits_.begin();
  }

  void remove_limit(size_t threads) {
    const std::lock_guard lock(mutex_);
    limits_.erase(limits_.find(threads));
    limit_ = limits_.empty() ? cores() : *limits_.begin();
  }

  void run(Loop& loop) {
    const size_t wanted = std::min(limit(), loop.chunks()) - 1;
    {
      const std::lock_guard lock(mutex_);
      loops_.push_back(&loop);
      start_helpers(wanted);
      ++turn_;
    }
    for (size_t i = 0; i < wanted; ++i) work_.notify_one();
    loop.run_chunks();
    {
      const std::lock_guard lock(mutex_);
      std::erase(loops_, &loop);  // nobody joins from here on
    }
    const auto is_over = [&] { return loop.helpers == 0; };
    if (!holds_soon(is_over)) {
      std::unique_lock lock(mutex_);
      over_.wait(lock, is_over);
    }
    loop.rethrow_error();
  }

  static size_t cores() { return std::max(1u, std::thread::hardware_concurrency()); }

 private:
  // Never destroyed: threads may wait in it until the process has ended.
  static Pool*& current() {
    static Pool* pool = new Pool;
    return pool;
  }

  // A forked process has none of the threads: it gets a pool of its own, with the same limits.
  static void lock_before_fork() { current()->mutex_.lock(); }
  static void unlock_after_fork() { current()->mutex_.unlock(); }
  static void begin_again_in_child() {
    Pool* pool = new Pool;
    pool->parent_ = current();
    pool->limits_ = pool->parent_->limits_;
    pool->limit_ = pool->parent_->limit();
    current() = pool;
  }

  void start_helpers(size_t count) {
    for (; helpers_ < count; ++helpers_) {
      // Signals are for the threads of the program.
      sigset_t all, before;
      ::sigfillset(&all);
      ::pthread_sigmask(SIG_SETMASK, &all, &before);
      bool started = true;
      try {
        std::thread([this] { help(); }).detach();
      } catch (const std::exception&) {  // std::system_error or std::bad_alloc: go on with fewer
        started = false;
      }
      ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
      if (!started) return;
    }
  }

  // The first loop that has work for one more helper, or none. Under mutex_.
  Loop* loop_to_help() const {
    if (busy_ + 1 >= limit()) return nullptr;
    const auto found = std::ranges::find_if(loops_, &Loop::has_chunks_left);
    return found == loops_.end() ? nullptr : *found;
  }

  [[noreturn]] void help() {
    std::unique_lock lock(mutex_);
    while (true) {
      Loop* loop = loop_to_help();
      if (loop == nullptr) {
        wait_for_work(lock);
        continue;
      }
      ++loop->helpers;
      ++busy_;
      lock.unlock();
      loop->run_chunks();
      lock.lock();
      --busy_;
      --loop->helpers;  // its caller may leave: the loop is not touched any more
      over_.notify_all();
    }
  }

  void wait_for_work(std::unique_lock<std::mutex>& lock) {
    const size_t seen = turn_;
    lock.unlock();
    const bool soon = holds_soon([&] { return turn_ != seen; });
    lock.lock();
    if (!soon) work_.wait(lock, [&] { return turn_ != seen; });
  }

  std::mutex mutex_;
  std::condition_variable work_, over_;
  std::vector<Loop*> loops_;       // in the order in which they were begun
  std::atomic<size_t> turn_{0};    // how many loops there have been
  size_t helpers_ = 0, busy_ = 0;  // threads that were started; of these, at work
  std::multiset<size_t> limits_;
  std::atomic<size_t> limit_{cores()};
  const Pool* parent_ = nullptr;  // of the process that this one was forked from
};

}  // namespace

bool in_parallel_loop() { return inside; }

void parallel_for(size_t n, size_t grain, const Body& body) {
  if (n == 0) return;
  Loop loop(n, std::max<size_t>(grain, 1), body);
  Pool& pool = Pool::instance();
  if (loop.chunks() > 1 && pool.limit() > 1) {
    pool.run(loop);
  } else {
    loop.run_chunks();
    loop.rethrow_error();
  }
}

ThreadLimit::ThreadLimit(int threads)
    : threads_(threads > 0 ? static_cast<size_t>(threads) : Pool::cores()) {
  Pool::instance().add_limit(threads_);
}

ThreadLimit::~ThreadLimit() { Pool::instance().remove_limit(threads_); }

}  // namespace muster
