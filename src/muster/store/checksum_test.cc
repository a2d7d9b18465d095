#include "muster/store/checksum.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace muster {
namespace {

std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

TEST(Checksum, IsXxh64) {
  EXPECT_EQ(checksum_of(bytes("")), 0xEF46DB3751D8E999u);
  EXPECT_EQ(checksum_of(bytes("a")), 0xD24EC4F1A98C6E5Bu);
  EXPECT_EQ(checksum_of(bytes("abc")), 0x44BC2CF5AD770999u);
}

RC_GTEST_PROP(Checksum, PiecesGiveTheHashOfTheWhole, (const std::string& a, const std::string& b)) {
  const std::string long_a = a + std::string(a.size() * 3, 'x');
  Checksum sum(5);
  sum.update(bytes(long_a));
  sum.update(bytes(b));
  RC_ASSERT(sum.digest() == checksum_of(bytes(long_a + b), 5));
}

TEST(Checksum, EveryFlippedBitShows) {
  for (size_t n : {1, 4, 8, 31, 32, 33, 100}) {
    std::string text(n, 'q');
    const uint64_t whole = checksum_of(bytes(text));
    for (size_t bit = 0; bit < 8 * n; ++bit) {
      text[bit / 8] ^= static_cast<char>(1 << bit % 8);
      ASSERT_NE(checksum_of(bytes(text)), whole);
      text[bit / 8] ^= static_cast<char>(1 << bit % 8);
    }
  }
}

}  // namespace
}  // namespace muster
