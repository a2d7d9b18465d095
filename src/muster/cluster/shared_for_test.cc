#include "muster/cluster/shared_for.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "muster/cluster/world.h"
#include "muster/core/error.h"
#include "muster/core/parallel.h"

namespace muster {
namespace {

TEST(World, IsOneProcessUnlessItWasJoined) {
  EXPECT_EQ(world().rank(), 0u);
  EXPECT_EQ(world().size(), 1u);
  EXPECT_TRUE(on_first_rank());
  EXPECT_FALSE(divides_here());
  const std::string text = "some bytes";
  const PartsOfRanks parts = *world().gather(std::as_bytes(std::span(text)));
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].size(), text.size());
  EXPECT_EQ(gather_texts("own"), std::vector<std::string>{"own"});
  EXPECT_NO_THROW(require_alike("a", "the version", "install one"));
}

TEST(SharedFor, AloneIsParallelFor) {
  std::vector<std::atomic<int>> visits(103);
  std::vector<int> rows(visits.size());
  shared_for(visits.size(), 10, {rows_of(rows)}, [&](size_t begin, size_t end) {
    EXPECT_EQ(begin % 10, 0u);
    for (size_t i = begin; i < end; ++i) ++visits[i];
  });
  for (const auto& count : visits) EXPECT_EQ(count, 1);
}

TEST(SharedBytes, OfATileAreItsRows) {
  Matrix<double> matrix(4, 5);
  std::iota(matrix.values().begin(), matrix.values().end(), 0.0);
  const SharedBytes bytes = shared_bytes(MatrixView<double>(&matrix(1, 2), 2, 3, 5));
  EXPECT_EQ(bytes.size(), 6 * sizeof(double));
  EXPECT_EQ(*reinterpret_cast<const double*>(bytes.data + bytes.stride_bytes), matrix(2, 2));
}

TEST(SharedRows, ARunOfValuesMayEndEarly) {
  std::vector<uint32_t> values(10);
  const SharedRows rows = rows_of(values, 4);
  EXPECT_EQ(rows(0).size(), 4 * sizeof(uint32_t));
  EXPECT_EQ(rows(2).size(), 2 * sizeof(uint32_t));
}

}  // namespace
}  // namespace muster
