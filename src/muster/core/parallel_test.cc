#include "muster/core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace muster {
namespace {

TEST(ParallelFor, VisitsEveryIndexOnceInChunksOfTheGrain) {
  for (int threads : {1, 2, 4}) {
    const ThreadLimit limit(threads);
    std::vector<std::atomic<int>> visits(1003);
    parallel_for(visits.size(), 10, [&](size_t begin, size_t end) {
      EXPECT_EQ(begin % 10, 0u);
      EXPECT_LE(end - begin, 10u);
      for (size_t i = begin; i < end; ++i) ++visits[i];
    });
    for (const auto& count : visits) EXPECT_EQ(count, 1);
  }
}

TEST(ParallelFor, NothingToDo) {
  parallel_for(0, 8, [](size_t, size_t) { FAIL(); });
}

TEST(ParallelFor, ExceptionsReachTheCaller) {
  EXPECT_THROW(parallel_for(100, 1,
                            [](size_t begin, size_t) {
                              if (begin == 50) throw std::runtime_error("stop");
                            }),
               std::runtime_error);
}

}  // namespace
}  // namespace muster
