#include <gtest/gtest.h>

#include <cmath>

#include "muster/core/parallel.h"
#include "muster/setfeature/bow.h"
#include "muster/setkernel/feature_kernel.h"
#include "muster/setkernel/gram.h"
#include "muster/setkernel/sum_match.h"
#include "oracle/random_data.h"

namespace muster {
namespace {

Represented represent_all(const SetKernel& kernel, const std::vector<VectorSet>& sets) {
  Represented out;
  for (const VectorSet& set : sets) out.push_back(kernel.represent(set));
  return out;
}

std::vector<VectorSet> random_sets(size_t count, size_t dim) {
  std::vector<VectorSet> sets;
  for (size_t i = 0; i < count; ++i) sets.push_back(oracle::normal_set(i * 97 % 400, dim, Rng(i)));
  return sets;
}

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

TEST(SumMatch, EqualsTheNaiveDoubleLoop) {
  SumMatchOptions options;
  options.local.gamma = 0.1;
  const auto kernel = fit_sum_match(options, {}, Rng(1), {});
  const auto sets = random_sets(9, 7);
  const Represented represented = represent_all(*kernel, sets);
  Matrix<double> gram(9, 9);
  kernel->gram(represented, represented, gram, {});
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
  const Represented represented = represent_all(*kernel, random_sets(6, 3));
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

class FeatureKernelTest : public testing::TestWithParam<FeatureKernelKind> {
 protected:
  FeatureKernelTest() {
    Sample sample;
    sample.vectors = oracle::normal_matrix(300, 4, Rng(1));
    BowOptions options;
    options.vocabulary.words = 12;
    bow_ = std::make_shared<SetFeature>(fit_bow(options, sample, Rng(2), {}));
  }
  double naive(const std::vector<float>& x, const std::vector<float>& y, double gamma) const {
    double product = 0, squared = 0, chi2 = 0, smaller = 0;
    for (size_t t = 0; t < x.size(); ++t) {
      const double a = x[t], b = y[t];
      product += a * b;
      squared += (a - b) * (a - b);
      if (a + b > 0) chi2 += (a - b) * (a - b) / (a + b);
      smaller += std::min(a, b);
    }
    switch (GetParam()) {
      case FeatureKernelKind::kLinear: return product;
      case FeatureKernelKind::kRbf: return std::exp(-gamma * squared);
      case FeatureKernelKind::kChi2: return std::exp(-gamma * chi2);
      case FeatureKernelKind::kIntersection: return smaller;
    }
    return 0;
  }
  std::shared_ptr<const SetFeature> bow_;
};

TEST_P(FeatureKernelTest, EqualsTheFormula) {
  const auto kernel = make_feature_kernel(GetParam(), 1.5, bow_);
  const auto sets = random_sets(7, 4);
  const Represented represented = represent_all(*kernel, sets);
  Matrix<double> gram(7, 7);
  kernel->gram(represented, represented, gram, {});
  for (size_t i = 0; i < 7; ++i)
    for (size_t j = 0; j < 7; ++j) {
      std::vector<float> x(bow_->dim()), y(bow_->dim());
      bow_->encode(sets[i], x);
      bow_->encode(sets[j], y);
      EXPECT_NEAR(gram(i, j), naive(x, y, 1.5), 1e-5);
      EXPECT_EQ(gram(i, j), gram(j, i));
    }
}

TEST_P(FeatureKernelTest, WidthsAreSettledFromTheTrainingSets) {
  const auto kernel = make_feature_kernel(GetParam(), std::nullopt, bow_);
  const Represented represented = represent_all(*kernel, random_sets(7, 4));
  const auto candidates = kernel->candidates(represented);
  const bool has_width = GetParam() == FeatureKernelKind::kRbf || GetParam() == FeatureKernelKind::kChi2;
  EXPECT_EQ(candidates.size() > 1, has_width);
  Matrix<double> gram(7, 7);
  candidates.back()->gram(represented, represented, gram, {});
  for (double value : gram.values()) EXPECT_TRUE(std::isfinite(value));
}

INSTANTIATE_TEST_SUITE_P(Kinds, FeatureKernelTest,
                         testing::Values(FeatureKernelKind::kLinear, FeatureKernelKind::kRbf,
                                         FeatureKernelKind::kChi2, FeatureKernelKind::kIntersection));

}  // namespace
}  // namespace muster
