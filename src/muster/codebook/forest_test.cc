#include "muster/codebook/forest.h"

#include <gtest/gtest.h>

#include <set>

#include "muster/core/parallel.h"
#include "support/random_data.h"

namespace muster {
namespace {

// The class is the sign of the first component; the others are noise.
Sample labelled_sample(size_t n, size_t dim) {
  Sample sample{oracle::normal_matrix(n, dim, Rng(1)), {}, 2};
  for (size_t i = 0; i < n; ++i) sample.labels.push_back(sample.vectors(i, 0) > 0 ? 1 : 0);
  return sample;
}

std::vector<uint32_t> words_of(const Forest& forest, const Matrix<float>& vectors) {
  std::vector<uint32_t> out(vectors.rows() * forest.num_trees());
  forest.assign(vectors, out);
  return out;
}

TEST(Forest, HasTheWordsAskedForAndUsesThemAll) {
  const Sample sample = labelled_sample(2000, 6);
  const Forest forest = Forest::fit({.words = 103, .trees = 4, .tries = 10}, sample, Rng(2));
  EXPECT_EQ(forest.num_words(), 103u);
  EXPECT_EQ(forest.num_trees(), 4u);
  const auto words = words_of(forest, sample.vectors);
  EXPECT_EQ(std::set<uint32_t>(words.begin(), words.end()).size(), 103u);
}

TEST(Forest, TreesHaveWordsOfTheirOwn) {
  const Sample sample = labelled_sample(500, 6);
  const Forest forest = Forest::fit({.words = 40, .trees = 4, .tries = 5}, sample, Rng(2));
  const auto words = words_of(forest, sample.vectors);
  for (size_t i = 0; i < words.size(); ++i) EXPECT_EQ(words[i] / 10, i % 4);
}

TEST(Forest, LeavesAreOfOneClassWhereTestsAreMany) {
  const Sample sample = labelled_sample(3000, 10);
  const auto purity = [&](int tries) {
    const Forest forest = Forest::fit({.words = 16, .trees = 1, .tries = tries}, sample, Rng(3));
    const auto words = words_of(forest, sample.vectors);
    std::vector<std::array<double, 2>> counts(forest.num_words());
    for (size_t i = 0; i < words.size(); ++i)
      ++counts[words[i]][static_cast<size_t>(sample.labels[i])];
    double kept = 0;
    for (const auto& count : counts) kept += std::max(count[0], count[1]);
    return kept / 3000;
  };
  EXPECT_GT(purity(100), 0.95);
  EXPECT_GT(purity(100), purity(1));
}

TEST(Forest, TakesUnlabelledAndEqualVectors) {
  Sample sample = labelled_sample(200, 3);
  sample.labels.clear();
  sample.num_classes = 0;
  EXPECT_EQ(Forest::fit({.words = 20, .trees = 2, .tries = 5}, sample, Rng(1)).num_words(), 20u);
  for (float& value : sample.vectors.values()) value = 1;
  EXPECT_EQ(Forest::fit({.words = 20, .trees = 2, .tries = 5}, sample, Rng(1)).num_words(), 2u);
}

TEST(Forest, SameSeedSameTreesForAnyThreadsAndFromFile) {
  const Sample sample = labelled_sample(1000, 5);
  const ForestOptions options{.words = 60, .trees = 3, .tries = 8};
  const ThreadLimit one(1);
  const Forest first = Forest::fit(options, sample, Rng(9));
  const ThreadLimit two(2);
  EXPECT_EQ(words_of(first, sample.vectors),
            words_of(Forest::fit(options, sample, Rng(9)), sample.vectors));
  TensorMap map;
  first.save(TensorWriter(map));
  const Forest loaded = Forest::load(TensorReader(map));
  EXPECT_EQ(words_of(first, sample.vectors), words_of(loaded, sample.vectors));
  EXPECT_EQ(loaded.num_words(), 60u);
}

TEST(Forest, RefusesFilesThatWouldNotEnd) {
  TensorMap map;
  TensorWriter out(map);
  out.put("input_dim", 2.0);
  out.put("roots", std::vector<uint32_t>{0});
  out.put("features", std::vector<int32_t>{0, -1, -1});
  out.put("thresholds", std::vector<float>(3));
  out.put("next", std::vector<uint32_t>{0, 0, 1});
  EXPECT_THROW(Forest::load(TensorReader(map)), Error);
}

}  // namespace
}  // namespace muster
