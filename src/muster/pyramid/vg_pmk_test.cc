#include "muster/pyramid/vg_pmk.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "muster/setkernel/correspondence.h"
#include "oracle/vg_pmk.h"
#include "support/expect_error.h"
#include "support/set_kernels.h"

namespace muster {
namespace {

class VgPmkTest : public testing::TestWithParam<BinWeights> {
 protected:
  VgPmkTest() {
    for (size_t i = 0; i < 20; ++i) sets_.push_back(oracle::normal_set(i * 7 % 23, 5, Rng(i)));
    sample_.vectors = oracle::normal_matrix(400, 5, Rng(99));
  }
  std::shared_ptr<const SetKernel> fit(PmkNormalise normalise) const {
    VgPmkOptions options{{4, 3, 10}, GetParam(), normalise};
    return fit_vg_pmk(options, sample_, Rng(1), {});
  }
  static KMeansTree tree_of(const SetKernel& kernel) {
    TensorMap map;
    kernel.save(TensorWriter(map));
    return load_kmeans_tree(TensorReader(map).scope("tree"));
  }
  // The weight of a match of the two sets in a node.
  double weight(const KMeansTree& tree, const VectorSet& a, const VectorSet& b,
                uint32_t node) const {
    size_t depth = 0;
    for (uint32_t at = node; at != 0; at = tree.parents[at]) ++depth;
    if (GetParam() == BinWeights::kLevel) return std::ldexp(1.0, static_cast<int>(depth) - 3);
    if (GetParam() == BinWeights::kGlobal) return tree.radii[0] / largest_radius_below(tree, node);
    double radius = 0;
    for (const VectorSet* set : {&a, &b}) {
      double largest = 0;
      for (size_t i = 0; i < set->size(); ++i)
        if (tree.paths(set->vectors)(i, depth) == node)
          largest = std::max(largest, tree.distance(set->vectors.row(i), node));
      radius += largest;
    }
    return tree.radii[0] / std::max(radius, 0.05 * tree.radii[0]);
  }
  static double largest_radius_below(const KMeansTree& tree, uint32_t node) {
    double largest = std::max<double>(tree.radii[node], 0.05 * tree.radii[0]);
    for (uint32_t child = tree.first_child[node]; child < tree.first_child[node + 1]; ++child)
      largest = std::max(largest, largest_radius_below(tree, child));
    return largest;
  }

  std::vector<VectorSet> sets_;
  Sample sample_;
};

TEST_P(VgPmkTest, EqualsTheDefinition) {
  const auto kernel = fit(PmkNormalise::kNone);
  const KMeansTree tree = tree_of(*kernel);
  const Matrix<double> values = oracle::gram_of(*kernel, sets_);
  for (size_t i = 0; i < sets_.size(); i += 3)
    for (size_t j = i; j < sets_.size(); j += 2) {
      const double expected = oracle::vg_pyramid_match(
          tree, sets_[i].vectors, sets_[j].vectors,
          [&](uint32_t node) { return weight(tree, sets_[i], sets_[j], node); });
      EXPECT_NEAR(values(i, j), expected, 1e-5 * (1 + expected)) << i << ", " << j;
      EXPECT_EQ(values(i, j), values(j, i));
    }
}

TEST_P(VgPmkTest, NormalisedBySelfHasOnesOnTheDiagonal) {
  const Matrix<double> values = oracle::gram_of(*fit(PmkNormalise::kSelf), sets_);
  for (size_t i = 0; i < sets_.size(); ++i) EXPECT_NEAR(values(i, i), sets_[i].size() > 0, 1e-12);
}

TEST_P(VgPmkTest, MatchesPairEveryVectorOfTheSmallerSetAndAddUpToTheKernel) {
  const auto kernel = fit(PmkNormalise::kNone);
  const Matrix<double> values = oracle::gram_of(*kernel, sets_);
  for (size_t i = 0; i + 1 < sets_.size(); i += 2) {
    const auto matches = pyramid_matches(*kernel, sets_[i], sets_[i + 1]);
    std::set<size_t> a, b;
    double sum = 0;
    for (const Correspondence& match : matches)
      a.insert(match.a), b.insert(match.b), sum += match.weight;
    EXPECT_EQ(matches.size(), std::min(sets_[i].size(), sets_[i + 1].size()));
    EXPECT_EQ(a.size(), matches.size());
    EXPECT_EQ(b.size(), matches.size());
    EXPECT_NEAR(sum, values(i, i + 1), 1e-6 * (1 + sum));
  }
}

TEST_P(VgPmkTest, RefusesVectorsOfAnotherWidth) {
  EXPECT_ERROR(fit(PmkNormalise::kSelf)->represent(oracle::normal_set(3, 4, Rng(1))), kData,
               "4 components");
}

INSTANTIATE_TEST_SUITE_P(Weights, VgPmkTest,
                         testing::Values(BinWeights::kGlobal, BinWeights::kInput,
                                         BinWeights::kLevel));

TEST(KMeansTree, PathsGoFromTheRootToTheNearestChild) {
  const Matrix<float> vectors = oracle::normal_matrix(300, 6, Rng(1));
  const KMeansTree tree = fit_kmeans_tree({3, 4, 10}, vectors, Rng(2));
  const Matrix<uint32_t> paths = tree.paths(vectors);
  for (size_t i = 0; i < 300; ++i)
    for (size_t depth = 1; depth <= 4; ++depth) {
      const uint32_t parent = paths(i, depth - 1), node = paths(i, depth);
      if (node == parent) continue;
      EXPECT_EQ(tree.parents[node], parent);
      for (uint32_t child = tree.first_child[parent]; child < tree.first_child[parent + 1]; ++child)
        EXPECT_LE(tree.distance(vectors.row(i), node), tree.distance(vectors.row(i), child) + 1e-6);
    }
}

TEST(KMeansTree, StopsWhereVectorsAreAlike) {
  Matrix<float> alike(50, 3);
  const KMeansTree tree = fit_kmeans_tree({5, 3, 10}, alike, Rng(2));
  EXPECT_EQ(tree.num_nodes(), 1u);
  EXPECT_EQ(tree.paths(alike)(7, 3), 0u);
}

}  // namespace
}  // namespace muster
