#include "muster/retrieval/retrieval.h"

#include <gtest/gtest.h>

#include <cmath>

#include "muster/core/parallel.h"
#include "muster/pipeline/fit.h"
#include "muster/source/cached_source.h"
#include "oracle/measures.h"
#include "support/datasets.h"

namespace muster {
namespace {

// Sets on disk; more than a block of kernels holds.
struct Setting {
  Setting() {
    put_sets(folder, 3, 90, 4);
    dataset = open_dataset(folder.path());
    source.emplace(dataset);
    for (size_t i = 0; i < dataset.items.size(); ++i) items.push_back(i);
  }
  Pipeline fit(const std::string& recipe) const {
    std::vector<size_t> some;
    for (size_t i = 0; i < items.size(); i += 9) some.push_back(i);
    return fit_pipeline(plan_recipe(parse_recipe(recipe)), *source, some,
                        dataset.labels.select(some), 3, {});
  }

  TempDir folder;
  Dataset dataset;
  std::optional<CachedSource> source;
  std::vector<size_t> items;
};

const Setting& setting() {
  static const Setting shared;
  return shared;
}

// In double precision from the kernel, or from the vectors.
Matrix<double> naive_similarities(const Pipeline& pipeline, const Setting& data) {
  const size_t n = data.items.size();
  Matrix<double> products(n, n);
  if (pipeline.plan().on_vectors()) {
    const Matrix<float> x = encode_items(pipeline.branches(), *data.source, data.items, {});
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        for (size_t d = 0; d < x.cols(); ++d)
          products(i, j) += static_cast<double>(x(i, d)) * x(j, d);
  } else {
    for (const FittedBranch& branch : pipeline.branches()) {
      const Represented sets = represent_items(branch, *data.source, data.items, {});
      Matrix<double> gram(n, n);
      branch.kernel->gram(sets, sets, gram, {});
      for (size_t i = 0; i < gram.size(); ++i) products.data()[i] += branch.scale * gram.data()[i];
    }
  }
  Matrix<double> out(n, n);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      const double roots = std::sqrt(products(i, i)) * std::sqrt(products(j, j));
      out(i, j) = roots > 0 ? products(i, j) / roots : 0;
    }
  return out;
}

void expect_most_similar(const Ensemble& ensemble, const Matrix<double>& expected) {
  const Setting& data = setting();
  const std::vector<size_t> queries{0, 100, 269};
  const auto found = most_similar(ensemble, *data.source, queries, *data.source, data.items, 7, {});
  for (size_t q = 0; q < queries.size(); ++q) {
    std::vector<double> row(expected.row(queries[q]).begin(), expected.row(queries[q]).end());
    ASSERT_EQ(found[q].size(), 7u);
    for (const Neighbour& one : found[q]) EXPECT_NEAR(one.score, row[one.row], 2e-6);
    std::ranges::sort(row, std::greater());
    for (size_t r = 0; r < 7; ++r) EXPECT_NEAR(found[q][r].score, row[r], 2e-6);
  }
  const ThreadLimit one(1);
  EXPECT_EQ(most_similar(ensemble, *data.source, queries, *data.source, data.items, 7, {}), found);
}

class MostSimilar : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Retrieval, MostSimilar,
                         testing::Values("bow:words=9/linear-svm:C=1",
                                         "mean+bow:words=9//linear-svm:C=1",
                                         "sum-match:gamma=1/kernel-svm:C=1",
                                         "mean+pmk:pyramids=2//kernel-svm:C=1"),
                         [](const auto& info) { return std::to_string(info.index); });

TEST_P(MostSimilar, IsWhatAllPairsSay) {
  const Pipeline pipeline = setting().fit(GetParam());
  expect_most_similar(Ensemble(pipeline), naive_similarities(pipeline, setting()));
}

TEST(Retrieval, AFusedModelTakesTheWeightedMean) {
  const Pipeline a = setting().fit("bow:words=9/linear-svm:C=1");
  const Pipeline b = setting().fit("sum-match:gamma=1/kernel-svm:C=1");
  Matrix<double> expected = naive_similarities(a, setting());
  const Matrix<double> other = naive_similarities(b, setting());
  for (size_t i = 0; i < expected.size(); ++i)
    expected.data()[i] = (3 * expected.data()[i] + other.data()[i]) / 4;
  expect_most_similar(Ensemble::fuse({a, b}, {3, 1}, {"a", "b"}), expected);
}

TEST(Retrieval, MeasuresTheRankingOfAllOthers) {
  const Setting& data = setting();
  const Pipeline pipeline = data.fit("sum-match:gamma=1/kernel-svm:C=1");
  const Matrix<double> similarities = naive_similarities(pipeline, data);
  double expected = 0, right = 0;
  for (const size_t i : data.items) {
    std::vector<double> scores;
    std::vector<int> targets;
    for (const size_t j : data.items) {
      if (i == j) continue;
      scores.push_back(similarities(i, j));
      targets.push_back(data.dataset.labels.first(i) == data.dataset.labels.first(j) ? 1 : -1);
    }
    expected += oracle::average_precision(scores, targets);
    right += targets[static_cast<size_t>(std::ranges::max_element(scores) - scores.begin())] > 0;
  }
  const auto n = static_cast<double>(data.items.size());
  const RetrievalMeasures found =
      measure_retrieval(Ensemble(pipeline), *data.source, data.items, data.dataset.labels, 1, {});
  EXPECT_EQ(found.queries, data.items.size());
  EXPECT_NEAR(found.mean_average_precision, expected / n, 1e-9);
  EXPECT_NEAR(found.precision_at_count, right / n, 1e-9);
}

TEST(Retrieval, DifficultItemsAreLeftOutAndLonelyOnesAsNothing) {
  const Setting& data = setting();
  const Ensemble ensemble(data.fit("mean/linear-svm:C=1"));
  const std::vector<size_t> items{0, 1, 2, 3};
  Labels labels{{"a", "b"}, {{0}, {0}, {0}, {1}}, {{}, {}, {0}, {}}, true};
  // Items 0 and 1 find each other: item 2 is neither right nor wrong, item 3 has nothing to find.
  const RetrievalMeasures found = measure_retrieval(ensemble, *data.source, items, labels, 1, {});
  EXPECT_EQ(found.queries, 2u);
  labels.of_item = {{0}, {1}, {}, {}};
  labels.difficult.clear();
  EXPECT_TRUE(std::isnan(
      measure_retrieval(ensemble, *data.source, items, labels, 1, {}).mean_average_precision));
}

}  // namespace
}  // namespace muster
