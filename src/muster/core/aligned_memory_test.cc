#include "muster/core/aligned_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <new>
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

TEST(AlignedMemory, WhatCannotBeHadIsBadAlloc) {
#ifdef MUSTER_SANITIZED
  GTEST_SKIP() << "sanitizers end the process instead";
#endif
  EXPECT_THROW(allocate_aligned(SIZE_MAX), std::bad_alloc);
  EXPECT_THROW(allocate_aligned(SIZE_MAX / 2), std::bad_alloc);
}

}  // namespace
}  // namespace muster
