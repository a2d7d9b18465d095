#include "server/decoding/confine.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

namespace muster::server {
namespace {

#ifndef MUSTER_SANITIZED

// Exit code 0 if the work is done, whatever the system says of it.
template <class Work>
void confined(const Work& work) {
  if (confine() != 0) ::_exit(9);
  work();
  ::_exit(0);
}

using testing::ExitedWithCode;
using testing::KilledBySignal;

TEST(ConfineDeathTest, WhatIsNotNeededKills) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(confined([] { ::open("/etc/passwd", O_RDONLY); }), KilledBySignal(SIGSYS), "");
  EXPECT_EXIT(confined([] { ::socket(AF_INET, SOCK_STREAM, 0); }), KilledBySignal(SIGSYS), "");
  EXPECT_EXIT(confined([] { ::execl("/bin/true", "true", nullptr); }), KilledBySignal(SIGSYS), "");
  EXPECT_EXIT(confined([] { ::kill(::getppid(), 0); }), KilledBySignal(SIGSYS), "");
  EXPECT_EXIT(confined([] { ::fork(); }), KilledBySignal(SIGSYS), "");
  EXPECT_EXIT(confined([] {
                ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              }),
              KilledBySignal(SIGSYS), "");
  EXPECT_EXIT(confined([] {
                void* page = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                ::mprotect(page, 4096, PROT_READ | PROT_EXEC);
              }),
              KilledBySignal(SIGSYS), "");
  EXPECT_EXIT(confined([] { ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, 0, 0); }),
              KilledBySignal(SIGSYS), "");
}

TEST(ConfineDeathTest, MemoryIsThereUpToItsLimit) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(confined([] {
                std::vector<char> some(600 << 20);
                try {
                  std::vector<char> more(600 << 20);
                } catch (const std::bad_alloc&) {
                  ::_exit(3);
                }
              }),
              ExitedWithCode(3), "");
}

#endif

}  // namespace
}  // namespace muster::server
