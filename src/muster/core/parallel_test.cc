#include "muster/core/parallel.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
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

TEST(ParallelFor, AnExceptionEndsTheLoopEarly) {
  const ThreadLimit two(2);
  std::atomic<int> chunks = 0;
  EXPECT_THROW(parallel_for(100000, 1,
                            [&](size_t, size_t) {
                              if (++chunks == 10) throw std::runtime_error("stop");
                            }),
               std::runtime_error);
  EXPECT_LT(chunks, 100000);
}

TEST(ParallelFor, LoopsWithinLoopsAreDone) {
  for (int threads : {1, 2, 4}) {
    const ThreadLimit limit(threads);
    std::atomic<size_t> sum = 0;
    parallel_for(40, 1, [&](size_t i, size_t) {
      parallel_for(50, 3, [&](size_t begin, size_t end) {
        parallel_for(end - begin, 1, [&](size_t j, size_t) { sum += 100 * i + begin + j; });
      });
    });
    EXPECT_EQ(sum, 100u * 50 * (39 * 40 / 2) + 40u * (49 * 50 / 2));
  }
}

TEST(ParallelFor, ThreadsOfTheProgramMayCallItAtOnce) {
  const ThreadLimit limit(3);
  std::atomic<size_t> sum = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) parallel_for(10, 1, [&](size_t, size_t) { ++sum; });
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 4u * 200 * 10);
}

// How many threads were in a loop's body at the same time.
int threads_at_once() {
  std::atomic<int> now = 0, most = 0;
  parallel_for(64, 1, [&](size_t, size_t) {
    const int count = ++now;
    for (int seen = most; count > seen && !most.compare_exchange_weak(seen, count);) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --now;
  });
  return most;
}

TEST(ThreadLimit, TheLowestOfSeveralHolds) {
  const ThreadLimit four(4);
  {
    const ThreadLimit one(1);
    const ThreadLimit three(3);
    EXPECT_EQ(threads_at_once(), 1);
  }
  EXPECT_LE(threads_at_once(), 4);
  EXPECT_GE(threads_at_once(), 2);
}

TEST(ParallelFor, WorksInAForkedProcess) {
  const ThreadLimit two(2);
  parallel_for(10, 1, [](size_t, size_t) {});  // starts a helper, which the child does not have
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::atomic<int> sum = 0;
    parallel_for(10, 1, [&](size_t, size_t) { ++sum; });
    ::_exit(sum == 10 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace muster
