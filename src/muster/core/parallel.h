// Threads over sets or tiles. Chunk boundaries depend on `grain` only, never on the number of
// threads, so work that is a function of its chunk gives the same bytes for any thread count.
#pragma once

#include <cstddef>
#include <functional>

namespace muster {

// Calls body(begin, end) for consecutive chunks of [0, n) of `grain` indices each (the last may be
// shorter). An exception in a body stops the loop and reaches the caller. A body may call
// parallel_for itself, and threads of the program may call it at the same time.
void parallel_for(size_t n, size_t grain,
                  const std::function<void(size_t begin, size_t end)>& body);

// Whether the calling thread is inside a body of parallel_for that shares its work with others.
bool in_parallel_loop();

// Limits the threads of every parallel_for while it lives; 0 means all cores. Of several limits the
// lowest holds.
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  size_t threads_;
};

}  // namespace muster
