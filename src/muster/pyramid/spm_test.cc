#include "muster/pyramid/spm.h"

#include <gtest/gtest.h>

#include "muster/core/parallel.h"
#include "oracle/spm.h"
#include "support/set_kernels.h"

namespace muster {
namespace {

struct Fixture {
  explicit Fixture(SpmOptions options, size_t num_sets = 40, size_t dim = 5) {
    Sample sample{oracle::normal_matrix(300, dim, Rng(3)), {}, 0};
    kernel = fit_spm(options, sample, Rng(1), {});
    TensorMap map;
    kernel->save(TensorWriter(map));
    words = TensorReader(map).matrix<float>("words");
    for (size_t i = 0; i < num_sets; ++i)
      sets.push_back(oracle::normal_set(i * 37 % 90, dim, Rng(i)));  // the first one is empty
    represented = oracle::represent_all(*kernel, sets);
  }

  Matrix<double> gram() const { return oracle::gram_of(*kernel, represented, represented); }

  std::shared_ptr<const SetKernel> kernel;
  Matrix<float> words;
  std::vector<VectorSet> sets;
  Represented represented;
};

SpmOptions small(int words, int levels, SpmCounts counts) {
  SpmOptions options;
  options.vocabulary.words = words;
  options.levels = levels;
  options.counts = counts;
  return options;
}

TEST(Spm, EqualsTheNaiveLoopCellByCellAndInAll) {
  for (const SpmCounts counts : {SpmCounts::kShare, SpmCounts::kRaw})
    for (const int levels : {0, 2}) {
      const Fixture f(small(9, levels, counts));
      const size_t n = f.sets.size(), cells = levels == 0 ? 1 : 21;
      const std::vector<double> weights = dyadic_weights(levels);
      ASSERT_EQ(f.kernel->num_parts(), cells);
      Matrix<double> parts(cells, n * n);
      f.kernel->part_grams(f.represented, f.represented, parts);
      const Matrix<double> gram = f.gram();
      for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) {
          const auto expected =
              oracle::spm_cells(f.sets[i], f.sets[j], f.words, levels, counts == SpmCounts::kShare);
          double sum = 0;
          for (size_t c = 0; c < cells; ++c) {
            EXPECT_NEAR(parts(c, i * n + j), expected[c], 1e-6 * std::max(1.0, expected[c]));
            sum += weights[c] * expected[c];
          }
          EXPECT_NEAR(gram(i, j), sum, 1e-6 * std::max(1.0, sum)) << i << ", " << j;
        }
    }
}

TEST(Spm, WeighsLevelsAsEquationThree) {
  const std::vector<double> weights = dyadic_weights(2);
  EXPECT_EQ(weights[0], 0.25);
  EXPECT_EQ(weights[1], 0.25);
  EXPECT_EQ(weights[4], 0.25);
  EXPECT_EQ(weights[5], 0.5);
  EXPECT_EQ(weights[20], 0.5);
  // A set with itself: every level counts all of it, and the weights of the levels sum to 1.
  const Fixture f(small(9, 2, SpmCounts::kShare));
  EXPECT_NEAR(f.gram()(3, 3), 1, 1e-6);
  EXPECT_EQ(f.gram()(0, 0), 0);  // the empty set
}

TEST(Spm, TakesWeightsOfItsCells) {
  const Fixture f(small(9, 2, SpmCounts::kShare));
  const size_t n = f.sets.size();
  std::vector<double> weights(21);
  weights[7] = 2;
  const auto other = f.kernel->with_weights(weights);
  Matrix<double> parts(21, n * n), gram(n, n);
  f.kernel->part_grams(f.represented, f.represented, parts);
  other->gram(f.represented, f.represented, gram, {});
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) EXPECT_EQ(gram(i, j), 2 * parts(7, i * n + j));
  EXPECT_EQ(other->part_weights(), weights);
}

TEST(Spm, SharesAreShapleyValuesOfTheCountsAndAddUp) {
  for (const SpmCounts counts : {SpmCounts::kRaw, SpmCounts::kShare}) {
    const Fixture f(small(3, 2, counts));
    const VectorSet& set = f.sets[5];
    ASSERT_EQ(set.size(), 5u);
    std::vector<double> coefficients;
    for (size_t j = 0; j < f.sets.size(); ++j) coefficients.push_back(Rng(j).normal());
    const auto shares = f.kernel->shares(set, f.represented, coefficients);
    ASSERT_TRUE(shares);
    const Matrix<double> row = oracle::gram_of(*f.kernel, {&f.represented[5], 1}, f.represented);
    double sum = 0, expected = 0;
    for (const double share : shares->values) sum += share;
    for (size_t j = 0; j < f.sets.size(); ++j) expected += coefficients[j] * row(0, j);
    EXPECT_NEAR(sum, expected, 1e-5);
    if (counts == SpmCounts::kShare) continue;  // leaving out a vector changes the others' counts
    const auto values = oracle::shapley_values(*f.kernel, set, f.represented, coefficients);
    for (size_t i = 0; i < set.size(); ++i) EXPECT_NEAR(shares->values[i], values[i], 1e-5);
  }
}

TEST(Spm, AsksForWeightsUntilTheyAreLearned) {
  SpmOptions options = small(9, 1, SpmCounts::kShare);
  EXPECT_EQ(Fixture(options, 2).kernel->weights_to_learn(), nullptr);
  options.weights = SpmWeights::kMkl;
  const Fixture f(options, 2);
  ASSERT_NE(f.kernel->weights_to_learn(), nullptr);
  EXPECT_EQ(f.kernel->weights_to_learn()->rule, WeightRule::kMkl);
  EXPECT_EQ(f.kernel->with_weights(std::vector<double>(5, 0.2))->weights_to_learn(), nullptr);
}

TEST(Spm, RefusesSetsWithoutPlaces) {
  const Fixture f(small(9, 2, SpmCounts::kShare), 2);
  VectorSet set = f.sets[1];
  set.places = {};
  EXPECT_THROW(f.kernel->represent(set), Error);
  EXPECT_NO_THROW(Fixture(small(9, 0, SpmCounts::kShare), 2).kernel->represent(set));
}

}  // namespace
}  // namespace muster
