// Run by mpirun on several ranks, each of which runs all of these tests.
#include <atomic>
#include <cmath>
#include <numeric>

#include "muster/cluster/shared_for.h"
#include "muster/cluster/shared_sum.h"
#include "muster/cluster/world.h"
#include "muster/core/error.h"
#include "muster/core/parallel.h"
#include "support/ranks_main.h"

namespace muster {
namespace {

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Ranks, EachIsOneOfSeveral) {
  EXPECT_GT(world().size(), 1u);
  EXPECT_LT(world().rank(), world().size());
  EXPECT_EQ(world().ranks_here(), world().size());
  EXPECT_TRUE(divides_here());
}

TEST(Ranks, GatherGivesEveryoneEverythingInOrder) {
  // More than one round of the transport from one rank, little from another, nothing from a third.
  const size_t lengths[] = {20'000'000, 5, 0};
  const std::string own(lengths[world().rank() % 3], static_cast<char>('a' + world().rank()));
  const PartsOfRanks parts = *world().gather(std::as_bytes(std::span(own)));
  ASSERT_EQ(parts.size(), world().size());
  for (size_t r = 0; r < parts.size(); ++r)
    EXPECT_TRUE(text_of(parts[r]) == std::string(lengths[r % 3], static_cast<char>('a' + r))) << r;
}

TEST(Ranks, CollectGivesTheFirstRankEverything) {
  const std::string own(world().rank() + 1, 'x');
  const PartsOfRanks parts = world().collect(std::as_bytes(std::span(own)));
  EXPECT_EQ(parts.size(), on_first_rank() ? world().size() : 0u);
  for (size_t r = 0; r < parts.size(); ++r) EXPECT_EQ(parts[r].size(), r + 1);
}

TEST(Ranks, TextsOfTheFirstRankReachAll) {
  EXPECT_EQ(text_of_first_rank(on_first_rank() ? "first" : "other"), "first");
  EXPECT_EQ(text_of_first_rank(""), "");
}

TEST(Ranks, DifferentTextsAreRefusedByAll) {
  EXPECT_NO_THROW(require_alike("same", "the text", "make it so"));
  EXPECT_THROW(require_alike(std::to_string(world().rank()), "the text", "make it so"), Error);
}

TEST(Ranks, ALoopIsDividedAndItsRowsReachAll) {
  for (const size_t n : {0u, 1u, 2u, 50u, 103u})
    for (const size_t grain : {1u, 10u, 200u}) {
      std::vector<double> rows(n);
      std::atomic<size_t> here = 0;
      shared_for(n, grain, {rows_of(rows)}, [&](size_t begin, size_t end) {
        EXPECT_EQ(begin % grain, 0u);
        EXPECT_FALSE(divides_here());
        here += end - begin;
        for (size_t i = begin; i < end; ++i) rows[i] = 1.0 / static_cast<double>(i + 1);
      });
      if (n / grain >= world().size()) EXPECT_LT(here, n);
      for (size_t i = 0; i < n; ++i) EXPECT_EQ(rows[i], 1.0 / static_cast<double>(i + 1));
      size_t total = 0;
      for (const std::string& text : gather_texts(std::to_string(here.load())))
        total += std::stoul(text);
      EXPECT_EQ(total, n);
    }
}

TEST(Ranks, TilesOfAMatrixReachAll) {
  constexpr size_t kSide = 70, kTile = 32, kTiles = 3;
  Matrix<float> matrix(kSide, kSide);
  const auto tile = [&](size_t t) {
    const size_t row = t / kTiles * kTile, col = t % kTiles * kTile;
    return MatrixView<float>(&matrix(row, col), std::min(kTile, kSide - row),
                             std::min(kTile, kSide - col), kSide);
  };
  shared_for(kTiles * kTiles, 1, {[&](size_t t) { return shared_bytes(tile(t)); }},
             [&](size_t t, size_t) {
               const MatrixView<float> out = tile(t);
               for (size_t i = 0; i < out.rows; ++i)
                 for (float& value : out.row(i)) value = static_cast<float>(t + 1);
             });
  for (size_t i = 0; i < kSide; ++i)
    for (size_t j = 0; j < kSide; ++j)
      EXPECT_EQ(matrix(i, j), static_cast<float>(i / kTile * kTiles + j / kTile + 1));
}

TEST(Ranks, SumsOverChunksAreTheSameBytesAsAlone) {
  const auto sum = [] {
    std::vector<double> parts(100);
    shared_for(parts.size(), 1, {rows_of(parts)}, [&](size_t c, size_t) {
      for (size_t i = 0; i < 1000; ++i) parts[c] += 1.0 / static_cast<double>(1000 * c + i + 1);
    });
    return std::accumulate(parts.begin(), parts.end(), 0.0);
  };
  double alone = 0;
  run_own_share([&] { alone = sum(); });  // in which nothing is divided
  EXPECT_EQ(sum(), alone);
}

TEST(Ranks, TotalsAreTheSameBytesWhicheverRankHasATerm) {
  constexpr size_t kTerms = 1000;
  const auto term = [](size_t i) { return std::exp(20 * std::sin(static_cast<double>(i * i))); };
  const auto total = [&](size_t first, size_t step) {
    Matrix<double> terms(1, (kTerms - first + step - 1) / step);
    for (size_t i = first, c = 0; i < kTerms; i += step, ++c) terms(0, c) = term(i);
    return totals_over_ranks(terms, kTerms)[0];
  };
  double alone = 0;
  run_own_share([&] { alone = total(0, 1); });
  EXPECT_EQ(total(world().rank(), world().size()), alone);
}

TEST(Ranks, SumsOfMoreThanARoundOfTheTransport) {
  std::vector<int64_t> values(1'100'000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int64_t>(i * (world().rank() + 1));
  sum_over_ranks(values);
  const auto all = static_cast<int64_t>(world().size() * (world().size() + 1) / 2);
  for (size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<int64_t>(i) * all);
  std::vector<double> largest = {-1.0 - static_cast<double>(world().rank()), 2};
  largest_over_ranks(largest);
  EXPECT_EQ(largest, (std::vector<double>{-1, 2}));
}

TEST(Ranks, NothingIsDividedInsideALoopOverThreads) {
  parallel_for(4, 1, [](size_t, size_t) { EXPECT_FALSE(divides_here()); });
}

TEST(Ranks, AnErrorOfOneIsThatOfAll) {
  std::vector<int> rows(20);
  for (const size_t bad : {0u, 1u, 19u}) try {
      shared_for(rows.size(), 1, {rows_of(rows)}, [&](size_t i, size_t) {
        if (i == bad) throw data_error("item {} cannot be read", i);
      });
      FAIL() << "no error reached rank " << world().rank();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kData);
      EXPECT_EQ(std::string(error.what()), fmt::format("item {} cannot be read", bad));
    }
  EXPECT_TRUE(divides_here());
}

TEST(Ranks, WhatWasSentIsCounted) {
  const Traffic before = world().traffic();
  const std::string own(1000, 'x');
  world().gather(std::as_bytes(std::span(own)));
  const Traffic after = world().traffic();
  EXPECT_EQ(after.calls - before.calls, 1u);
  EXPECT_EQ(after.bytes_given - before.bytes_given, own.size());
  EXPECT_EQ(after.bytes_taken - before.bytes_taken, own.size() * (world().size() - 1));
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) { return muster::run_tests_on_ranks(argc, argv); }
