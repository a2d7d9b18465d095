#include "muster/image/decode.h"

#include <gtest/gtest.h>

namespace muster {
namespace {
TEST(Decode, RefusesEmpty) { EXPECT_THROW(decode_image({}, "a.jpg"), Error); }
}  // namespace
}  // namespace muster
