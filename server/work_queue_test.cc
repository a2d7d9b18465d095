#include "server/work_queue.h"

#include <atomic>
#include <latch>

namespace muster::server {
namespace {

TEST(WorkQueue, RefusesWhatDoesNotFit) {
  std::latch begun(1), go(1);
  std::atomic<int> done = 0;
  {
    WorkQueue queue(1, 2);
    EXPECT_TRUE(queue.push([&] {
      begun.count_down();
      go.wait();
      ++done;
    }));
    begun.wait();  // the thread is busy, and the queue empty
    EXPECT_TRUE(queue.push([&] { ++done; }));
    EXPECT_TRUE(queue.push([&] { ++done; }));
    EXPECT_FALSE(queue.push([&] { ++done; }));
    EXPECT_EQ(queue.waiting(), 2u);
    go.count_down();
  }
  EXPECT_EQ(done, 3);  // all that were taken, and none that was refused
}

TEST(WorkQueue, TakesNothingAfterItsEnd) {
  std::atomic<int> done = 0;
  WorkQueue queue(2, 10);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(queue.push([&] { ++done; }));
  queue.finish();
  EXPECT_EQ(done, 5);
  EXPECT_FALSE(queue.push([&] { ++done; }));
  EXPECT_EQ(done, 5);
}

TEST(WorkQueue, ThreadsWorkAtTheSameTime) {
  std::latch all(3);
  WorkQueue queue(3, 3);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(queue.push([&] { all.arrive_and_wait(); }));
  all.wait();  // for ever, if one thread had to do it all
}

}  // namespace
}  // namespace muster::server
