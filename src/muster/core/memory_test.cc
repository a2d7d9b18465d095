#include "muster/core/memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <fstream>

namespace muster {
namespace {

constexpr double kLargeMib = 64;

// Straight from the system and back to it: a sanitizer would keep what is freed.
void use_and_free() {
  const size_t size = static_cast<size_t>(kLargeMib) << 20;
  void* large = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(large, MAP_FAILED);
  std::memset(large, 1, size);
  munmap(large, size);
}

TEST(Memory, WhatWasFreedStaysThePeakUntilItIsReset) {
  reset_peak_memory();
  const double before = peak_memory_since_reset_mib();
  use_and_free();
  const double peak = peak_memory_since_reset_mib();
  EXPECT_GT(before, 0);
  EXPECT_GE(peak, before + kLargeMib / 2);
  EXPECT_GE(peak_memory_mib(), kLargeMib);
  reset_peak_memory();
  EXPECT_GE(peak_memory_mib(), kLargeMib) << "of the whole process, reset or not";
  if (!std::ofstream("/proc/self/clear_refs")) GTEST_SKIP() << "the system allows no reset";
  EXPECT_LE(peak_memory_since_reset_mib(), peak - kLargeMib / 2);
}

TEST(Memory, TheMachineHasMoreThanTheProcessUsed) {
  EXPECT_GT(static_cast<double>(machine_memory_bytes()), peak_memory_since_reset_mib() * (1 << 20));
}

}  // namespace
}  // namespace muster
