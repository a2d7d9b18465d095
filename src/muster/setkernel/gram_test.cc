#include "muster/setkernel/gram.h"

#include <gtest/gtest.h>

#include "muster/core/error.h"

namespace muster {
namespace {

TEST(Tiles, CoverEveryEntryOnce) {
  for (const bool symmetric : {false, true}) {
    Matrix<double> visits(37, 37);
    for_each_tile(37, 37, 10, symmetric, {}, [&](const Tile& tile) {
      for (size_t i = 0; i < tile.num_rows; ++i)
        for (size_t j = 0; j < tile.num_cols; ++j) ++visits(tile.row + i, tile.col + j);
    });
    for (size_t i = 0; i < 37; ++i)
      for (size_t j = symmetric ? i : 0; j < 37; ++j) EXPECT_EQ(visits(i, j), 1);
  }
}

TEST(Gram, RefusesWhatCannotFitAndSaysWhatToDo) {
  EXPECT_NO_THROW(check_gram_memory(1000, 1000));
  try {
    check_gram_memory(10'000'000, 10'000'000);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("linear"), std::string::npos);
  }
}

}  // namespace
}  // namespace muster
