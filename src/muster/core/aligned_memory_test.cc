#include "muster/core/aligned_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

namespace muster {
namespace {

TEST(AlignedMemory, BlocksAreAlignedAndApart) {
  std::vector<char*> blocks;
  for (std::size_t bytes = 0; bytes < 300; ++bytes) {
    blocks.push_back(static_cast<char*>(allocate_aligned(bytes)));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks.back()) % kCacheLine, 0u);
    std::memset(blocks.back(), static_cast<int>(bytes), bytes);
  }
  for (std::size_t bytes = 0; bytes < blocks.size(); ++bytes) {
    for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(blocks[bytes][i], static_cast<char>(bytes));
    free_aligned(blocks[bytes]);
  }
  free_aligned(nullptr);
}

TEST(AlignedMemory, BlocksMayBeFreedByOtherThreadsAndOutliveTheirs) {
  std::vector<void*> blocks(40);
  for (int round = 0; round < 3; ++round) {
    std::vector<std::jthread> makers;
    for (std::size_t i = 0; i < blocks.size(); ++i)
      makers.emplace_back([&blocks, i] {
        free_aligned(allocate_aligned(100'000 + 1000 * i));
        blocks[i] = allocate_aligned(100'000 + 1000 * i);
        std::memset(blocks[i], static_cast<int>(i), 100'000 + 1000 * i);
      });
    makers.clear();
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      ASSERT_EQ(static_cast<char*>(blocks[i])[99'999], static_cast<char>(i));
      free_aligned(blocks[i]);
    }
  }
}

TEST(AlignedMemory, WhatCannotBeHadIsBadAlloc) {
#ifdef MUSTER_SANITIZED
  GTEST_SKIP() << "sanitizers end the process instead";
#endif
  EXPECT_THROW(allocate_aligned(SIZE_MAX), std::bad_alloc);
  EXPECT_THROW(allocate_aligned(SIZE_MAX / 2), std::bad_alloc);
}

}  // namespace
}  // namespace muster
