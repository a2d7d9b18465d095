#include "muster/matching/sum_match.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/set_kernels.h"

namespace muster {
namespace {

TEST(SumMatch, EqualsTheNaiveDoubleLoop) {
  SumMatchOptions options;
  options.local.gamma = 0.1;
  const auto kernel = fit_sum_match(options, {}, Rng(1), {});
  const auto sets = oracle::random_sets(9, 7);
  const Matrix<double> gram = oracle::gram_of(*kernel, sets);
  for (size_t i = 0; i < 9; ++i)
    for (size_t j = 0; j < 9; ++j) {
      double sum = 0;
      for (size_t p = 0; p < sets[i].size(); ++p)
        for (size_t q = 0; q < sets[j].size(); ++q) {
          double distance = 0;
          for (size_t t = 0; t < 7; ++t)
            distance += std::pow(double(sets[i].vectors(p, t)) - sets[j].vectors(q, t), 2);
          sum += std::exp(-0.1 * distance);
        }
      const double pairs = static_cast<double>(sets[i].size() * sets[j].size());
      const double expected = pairs > 0 ? sum / pairs : 0;
      EXPECT_NEAR(gram(i, j), expected, 1e-6 * std::max(expected, 1e-9)) << i << " " << j;
      EXPECT_EQ(gram(i, j), gram(j, i));
    }
}

TEST(SumMatch, SavedRepresentationsComeBackExactly) {
  const auto kernel = fit_sum_match({}, {}, Rng(1), {});
  const Represented represented = oracle::represent_all(*kernel, oracle::random_sets(6, 3));
  TensorMap saved;
  kernel->save(TensorWriter(saved).scope("kernel"));
  kernel->save_represented(represented, TensorWriter(saved).scope("sets"));
  const auto again = load_sum_match({}, TensorReader(saved).scope("kernel"));
  const Represented loaded = again->load_represented(TensorReader(saved).scope("sets"));
  Matrix<double> before(6, 6), after(6, 6);
  const Represented copy = represented;  // not the same span: no mirrored half
  kernel->gram(copy, represented, before, {});
  again->gram(loaded, represented, after, {});
  EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace muster
