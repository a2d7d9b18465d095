#include "muster/baselines/naive_bayes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "muster/crossval/cross_validation.h"
#include "oracle/naive_bayes.h"
#include "support/expect_error.h"
#include "support/labelled_data.h"

namespace muster {
namespace {

using testing_data::Data;

// Histograms of `length` words drawn from one distribution per class.
Data histograms(size_t n, size_t words, int classes, int length, uint64_t seed) {
  Data out = testing_data::blobs(n, words, classes, 0, seed);
  for (size_t i = 0; i < n; ++i) {
    const auto row = out.vectors.row(i);
    double total = 0;
    std::vector<double> shares;
    for (const float value : row) total += shares.emplace_back(std::exp(0.5 * value));
    std::ranges::fill(row, 0.0f);
    Rng rng = Rng(seed).derive(i);
    for (int t = 0; t < length; ++t) {
      double left = rng.uniform() * total;
      size_t w = 0;
      while (w + 1 < words && left > shares[w]) left -= shares[w++];
      row[w] += 1 / static_cast<float>(length);
    }
  }
  return out;
}

RC_GTEST_PROP(NaiveBayes, IsTheDefinition, (uint64_t seed)) {
  const int classes = 2 + static_cast<int>(seed % 4);
  const Data data = histograms(15 + seed % 9, 1 + seed % 20, classes, 30, seed);
  NaiveBayesOptions options;
  options.smoothing = 0.5;
  options.length = 30;
  const Matrix<double> scores =
      fit_naive_bayes(options, data.vectors, data.labels, Rng(1), {})->scores(data.vectors);
  for (size_t i = 0; i < scores.rows(); ++i) {
    const auto naive = oracle::naive_bayes(data.vectors, data.labels, data.vectors.row(i), 0.5, 30);
    // Up to what all classes have in common; two classes share one decision, of both signs.
    const double scale = classes == 2 ? 2 : 1;
    for (size_t c = 1; c < naive.size(); ++c)
      RC_ASSERT(std::abs((scores(i, c) - scores(i, 0)) / scale - (naive[c] - naive[0])) < 1e-4);
  }
}

TEST(NaiveBayes, ReachesWhatTheDistributionsAllow) {
  const Data data = histograms(300, 30, 3, 100, 4);
  const auto model = fit_naive_bayes({}, data.vectors, data.labels, Rng(1), {});
  EXPECT_EQ(model->statistics()->parameter, "smoothing");
  EXPECT_EQ(model->statistics()->table.size(), 5u);
  EXPECT_GT(model->statistics()->table[2].score, 0.95);
  EXPECT_TRUE(model->linear_score(1));
}

TEST(NaiveBayes, SmoothingKeepsANewWordFromRulingAClassOut) {
  Data data{Matrix<float>(8, 3), {{"a", "b"}, {}, {}}};
  for (size_t i = 0; i < 8; ++i) {
    data.labels.of_item.push_back({i < 4 ? 0 : 1});
    const float only_first[] = {1, 0, 0}, mixed[] = {0.1f, 0.45f, 0.45f};
    std::ranges::copy(i < 4 ? only_first : mixed, data.vectors.row(i).begin());
  }
  Matrix<float> asked(1, 3);
  asked(0, 0) = 0.9f;  // as the first class has it, and a word that it has never shown
  asked(0, 1) = 0.1f;
  NaiveBayesOptions options;
  options.length = 10;
  for (const bool smooth : {false, true}) {
    options.smoothing = smooth ? 1 : 1e-9;
    const Matrix<double> scores =
        fit_naive_bayes(options, data.vectors, data.labels, Rng(1), {})->scores(asked);
    EXPECT_EQ(scores(0, 0) > scores(0, 1), smooth);
  }
}

TEST(NaiveBayes, OfSeveralLabelsEachIsAProblemOfItsOwn) {
  Data data = histograms(80, 20, 2, 100, 6);
  for (size_t i = 0; i < 80; ++i) {
    data.labels.of_item[i] = i % 2 == 0 ? std::vector<int>{0} : std::vector<int>{};
    if (i % 4 < 2) data.labels.of_item[i].push_back(1);
  }
  data.labels.multi_label = true;
  const Matrix<double> scores =
      fit_naive_bayes({}, data.vectors, data.labels, Rng(1), {})->scores(data.vectors);
  size_t right = 0;
  for (size_t i = 0; i < 80; ++i) right += (scores(i, 0) > 0) == (i % 2 == 0) ? 1 : 0;
  EXPECT_GT(right, 75u);
}

TEST(NaiveBayes, RefusesNegativeCounts) {
  Data data = histograms(20, 5, 2, 10, 7);
  data.vectors(3, 2) = -0.5f;
  EXPECT_ERROR(fit_naive_bayes({}, data.vectors, data.labels, Rng(1), {}), kData,
               "training item 3 has the value -0.5");
}

}  // namespace
}  // namespace muster
