#include "muster/classify/klr.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "oracle/logistic.h"
#include "support/expect_error.h"
#include "support/labelled_data.h"

namespace muster {
namespace {

using testing_data::blobs;
using testing_data::Data;
using testing_data::rbf_gram;

std::unique_ptr<Classifier> fitted(const KlrOptions& options, const Data& data,
                                   const Matrix<double>& gram) {
  const DefiniteGram treated(gram, options.indefinite, "klr");
  return fit_klr(options, treated, data.labels,
                 choose_klr_kernel(options, {treated.gram()}, {}, data.labels, Rng(1), {}), {});
}

oracle::Rows expected_decisions(const Data& data, const Matrix<double>& gram, double C,
                                bool multinomial, bool balanced) {
  const size_t n = gram.rows();
  const int classes = data.labels.num_classes();
  oracle::Rows k, targets, costs;
  for (size_t i = 0; i < n; ++i) k.emplace_back(gram.row(i).begin(), gram.row(i).end());
  for (int c = 0; c < classes; ++c) {
    targets.emplace_back();
    costs.emplace_back();
    double own = 0;
    for (size_t i = 0; i < n; ++i) own += data.labels.target(i, c) > 0;
    for (size_t i = 0; i < n; ++i) {
      const bool positive = data.labels.target(i, c) > 0;
      targets.back().push_back(positive);
      const double side = positive ? own : static_cast<double>(n) - own;
      costs.back().push_back(balanced && !multinomial ? C * static_cast<double>(n) / (2 * side)
                                                      : C);
    }
  }
  if (balanced && multinomial)
    for (size_t i = 0; i < n; ++i)
      for (size_t c = 0; c < costs.size(); ++c) {
        const auto& own = targets[static_cast<size_t>(data.labels.first(i))];
        costs[c][i] =
            C * static_cast<double>(n) / (classes * std::accumulate(own.begin(), own.end(), 0.0));
      }
  return oracle::logistic_decisions(oracle::centred(k), targets, costs, multinomial);
}

TEST(Klr, ReachesTheOracle) {
  for (const auto& [n, classes] : {std::pair{7, 3}, {25, 3}, {33, 4}})
    for (const bool multinomial : {false, true})
      for (const bool balanced : {false, true}) {
        const Data data = blobs(static_cast<size_t>(n), 3, classes, 1, 3);
        const Matrix<double> gram = rbf_gram(data, 0.3, 7);
        KlrOptions options;
        options.C = 2;
        options.tolerance = 1e-7;
        options.logistic_scheme =
            multinomial ? LogisticScheme::kMultinomial : LogisticScheme::kOneVsAll;
        options.class_weights = balanced ? ClassWeights::kBalanced : ClassWeights::kNone;
        const auto model = fitted(options, data, gram);
        const Matrix<double> scores = model->scores_from_gram(gram);
        const oracle::Rows expected = expected_decisions(data, gram, 2, multinomial, balanced);
        for (size_t i = 0; i < gram.rows(); ++i)
          for (size_t c = 0; c < expected.size(); ++c)
            ASSERT_NEAR(scores(i, c), expected[c][i], 1e-5) << n << multinomial << balanced;
        ASSERT_TRUE(model->statistics()->convergence);
        EXPECT_TRUE(model->statistics()->convergence->reached);
        EXPECT_LE(model->statistics()->convergence->violation, 1e-7);
        EXPECT_LT(model->statistics()->convergence->steps, 20);
      }
}

// Separable data have a solution all the same, and an early stop is reported.
TEST(Klr, SaysWhetherItConverged) {
  const Data data = blobs(40, 3, 2, 0.01, 4);
  const Matrix<double> gram = rbf_gram(data, 0.3);
  KlrOptions options;
  options.C = 1e6;
  const auto model = fitted(options, data, gram);
  EXPECT_TRUE(model->statistics()->convergence->reached);
  const Matrix<double> scores = model->scores_from_gram(gram);
  EXPECT_EQ(testing_data::accuracy(scores, data.labels), 1);
  const Matrix<double> probabilities = model->probabilities(scores);
  for (const double p : probabilities.values()) EXPECT_TRUE(p < 0.05 || p > 0.95) << p;
  options.max_steps = 1;
  options.tolerance = 1e-6;
  const auto stopped = fitted(options, data, gram);
  EXPECT_FALSE(stopped->statistics()->convergence->reached);
  EXPECT_EQ(stopped->statistics()->convergence->steps, 1);
  EXPECT_GT(stopped->statistics()->convergence->violation, 1e-6);
}

TEST(Klr, ProbabilitiesAreThoseOfTheModel) {
  Data data = blobs(60, 2, 3, 1.5, 5);
  const Matrix<double> gram = rbf_gram(data, 0.1);
  for (const bool multinomial : {false, true}) {
    KlrOptions options;
    options.C = 3;
    options.logistic_scheme =
        multinomial ? LogisticScheme::kMultinomial : LogisticScheme::kOneVsAll;
    const auto model = fitted(options, data, gram);
    const Matrix<double> scores = model->scores_from_gram(gram), p = model->probabilities(scores);
    for (size_t i = 0; i < scores.rows(); ++i) {
      double sum = 0;
      const auto raw = [&](size_t c) {
        return multinomial ? std::exp(scores(i, c)) : 1 / (1 + std::exp(-scores(i, c)));
      };
      for (size_t c = 0; c < 3; ++c) sum += raw(c);
      for (size_t c = 0; c < 3; ++c) EXPECT_NEAR(p(i, c), raw(c) / sum, 1e-12);
    }
  }
  // Scores beyond what exp can take.
  Matrix<double> extreme(2, 3);
  const double values[] = {-900, -800, -1000, 700, 800, 750};
  std::ranges::copy(values, extreme.data());
  for (const LogisticScheme scheme : {LogisticScheme::kOneVsAll, LogisticScheme::kMultinomial})
    for (const bool multi : {false, true}) {
      const Matrix<double> p = logistic_probabilities(extreme, scheme, multi);
      for (const double value : p.values()) EXPECT_TRUE(value >= 0 && value <= 1) << value;
      if (!multi) {
        EXPECT_GT(p(0, 1), 0.99);
        EXPECT_GT(p(1, 1), p(1, 0));
        EXPECT_GE(p(1, 1), p(1, 2));
      }
    }
}

TEST(Klr, UnbalancedMissingAndMultiLabel) {
  // One class in five of a hundred items, so that folds miss it, and one that no item has.
  Data data = blobs(100, 4, 2, 0.8, 6);
  for (size_t i = 0; i < 100; ++i) data.labels.of_item[i] = {i % 20 == 0 ? 0 : 1};
  for (size_t i = 0; i < 100; ++i)
    for (size_t d = 0; d < 4; ++d) data.vectors(i, d) += data.labels.first(i) == 0 ? 3.0f : 0.0f;
  data.labels.class_names.push_back("none");
  const Matrix<double> gram = rbf_gram(data, 0.05);
  for (const bool multinomial : {false, true}) {
    KlrOptions options;
    options.logistic_scheme =
        multinomial ? LogisticScheme::kMultinomial : LogisticScheme::kOneVsAll;
    const auto model = fitted(options, data, gram);
    EXPECT_GT(testing_data::accuracy(model->scores_from_gram(gram), data.labels), 0.95);
    const Matrix<double> p = model->probabilities(model->scores_from_gram(gram));
    for (size_t i = 0; i < 100; ++i) EXPECT_LT(p(i, 2), 0.1);
  }
  const Data multi_label = testing_data::multi_label(100, 6, 3, 0.7, 8);
  const Matrix<double> grams = rbf_gram(multi_label, 0.02);
  const auto model = fitted({}, multi_label, grams);
  const Matrix<double> p = model->probabilities(model->scores_from_gram(grams));
  size_t right = 0;
  for (size_t i = 0; i < 100; ++i)
    for (int c = 0; c < 3; ++c)
      right += (p(i, static_cast<size_t>(c)) > 0.5) == (multi_label.labels.target(i, c) > 0);
  EXPECT_GT(right, 280u);
  KlrOptions multinomial;
  multinomial.logistic_scheme = LogisticScheme::kMultinomial;
  EXPECT_ERROR(fitted(multinomial, multi_label, grams), kUsage, "one-vs-all");
}

TEST(Klr, TakesIndefiniteGramsAndSaysSo) {
  const Data data = blobs(40, 3, 3, 0.8, 9);
  Matrix<double> gram = rbf_gram(data, 0.2);
  for (size_t i = 0; i < 40; ++i) gram(i, i) = 0.2;  // now some eigenvalues are negative
  for (const Indefinite treatment : {Indefinite::kClip, Indefinite::kFlip, Indefinite::kShift}) {
    KlrOptions options;
    options.indefinite = treatment;
    const auto model = fitted(options, data, gram);
    ASSERT_TRUE(model->statistics()->indefinite);
    EXPECT_LT(model->statistics()->indefinite->smallest_eigenvalue, 0);
    EXPECT_GT(testing_data::accuracy(model->scores_from_gram(gram), data.labels), 0.7);
  }
  KlrOptions refuse;
  refuse.indefinite = Indefinite::kRefuse;
  EXPECT_ERROR(fitted(refuse, data, gram), kData, "klr: the kernel matrix");
  gram(3, 2) = gram(2, 3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_ERROR(fitted({}, data, gram), kData, "klr: the kernel value of training items 2 and 3");
}

}  // namespace
}  // namespace muster
