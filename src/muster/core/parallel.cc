#include "muster/core/parallel.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <utility>

namespace muster {
namespace {

thread_local bool inside = false;

class Inside {
 public:
  Inside() : before_(std::exchange(inside, true)) {}
  ~Inside() { inside = before_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  bool before_;
};

}  // namespace

bool in_parallel_loop() { return inside; }

void parallel_for(size_t n, size_t grain,
                  const std::function<void(size_t begin, size_t end)>& body) {
  if (n == 0) return;
  grain = std::max<size_t>(grain, 1);
  const size_t num_chunks = (n + grain - 1) / grain;
  if (num_chunks == 1) {
    body(0, n);
    return;
  }
  tbb::parallel_for(
      tbb::blocked_range<size_t>(0, num_chunks, 1),
      [&](const tbb::blocked_range<size_t>& chunks) {
        const Inside mark;
        for (size_t c = chunks.begin(); c != chunks.end(); ++c)
          body(c * grain, std::min(n, (c + 1) * grain));
      },
      tbb::simple_partitioner());
}

struct ThreadLimit::Impl {
  explicit Impl(size_t threads) : control(tbb::global_control::max_allowed_parallelism, threads) {}
  tbb::global_control control;
};

ThreadLimit::ThreadLimit(int threads)
    : impl_(std::make_unique<Impl>(threads > 0
                                       ? static_cast<size_t>(threads)
                                       : static_cast<size_t>(tbb::info::default_concurrency()))) {}

ThreadLimit::~ThreadLimit() = default;

}  // namespace muster
