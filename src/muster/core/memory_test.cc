#include "muster/core/memory.h"

#include <gtest/gtest.h>

#include <vector>

namespace muster {
namespace {

constexpr double kLargeMib = 64;

void use_and_free() {
  std::vector<char> large(static_cast<size_t>(kLargeMib) << 20, 1);
  asm volatile("" : : "r"(large.data()) : "memory");
}

TEST(Memory, WhatWasFreedStaysThePeakUntilItIsReset) {
  const double before = peak_memory_since_reset_mib();
  use_and_free();
  const double peak = peak_memory_since_reset_mib();
  EXPECT_GT(before, 0);
  EXPECT_GE(peak, kLargeMib);
  EXPECT_GE(peak_memory_mib(), kLargeMib);
  reset_peak_memory();
  EXPECT_LE(peak_memory_since_reset_mib(), peak + 8);  // a sanitizer keeps what was freed, and more
  EXPECT_GE(peak_memory_mib(), kLargeMib) << "of the whole process, reset or not";
}

}  // namespace
}  // namespace muster
