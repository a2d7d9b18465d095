#include "muster/classify/sharded_training.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "muster/classify/linear_svm.h"
#include "muster/classify/logistic.h"
#include "muster/core/parallel.h"
#include "support/expect_error.h"
#include "support/labelled_data.h"

namespace muster {
namespace {

using testing_data::blobs;
using testing_data::Data;

ShardedVectors shards_of(const Data& data) {
  std::vector<size_t> items(data.vectors.rows());
  std::iota(items.begin(), items.end(), size_t{0});
  ShardedVectors out(items, data.vectors.cols());
  for (size_t r = 0; r < items.size(); ++r)
    std::ranges::copy(data.vectors.row(out.tiles.positions()[r]), out.rows.row(r).begin());
  return out;
}

std::unique_ptr<Classifier> fit_shards(const LinearSvmOptions& options, const Data& data) {
  return fit_linear_svm_sharded(options, shards_of(data), data.labels, Rng(1), {});
}

void expect_near(const Matrix<double>& found, const Matrix<double>& expected, double tolerance) {
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(found.data()[i], expected.data()[i], tolerance);
}

TEST(ShardedTraining, FindsWhatTheOtherSolversFind) {
  const Data data = blobs(700, 12, 4, 2.5, 3);
  for (const ClassWeights weights : {ClassWeights::kNone, ClassWeights::kBalanced})
    for (const Scheme scheme : {Scheme::kOneVsAll, Scheme::kOneVsOne}) {
      LinearSvmOptions options;
      options.C = 3;
      options.calibrate = false;
      options.tolerance = 1e-4;
      options.class_weights = weights;
      options.scheme = scheme;
      const auto expected = fit_linear_svm(options, data.vectors, data.labels, Rng(1), {});
      expect_near(fit_shards(options, data)->scores(data.vectors), expected->scores(data.vectors),
                  2e-3);
    }
}

TEST(ShardedTraining, FindsTheLogisticModel) {
  const Data data = blobs(700, 12, 4, 2.5, 4);
  LogisticOptions options;
  options.C = 3;
  options.tolerance = 1e-5;
  const auto expected = fit_logistic(options, data.vectors, data.labels, Rng(1), {});
  const auto found = fit_logistic_sharded(options, shards_of(data), data.labels, Rng(1), {});
  expect_near(found->scores(data.vectors), expected->scores(data.vectors), 2e-3);
}

TEST(ShardedTraining, ManyLabelsPerItem) {
  const Data data = testing_data::multi_label(600, 10, 3, 1, 5);
  LinearSvmOptions options;
  options.C = 1;
  options.tolerance = 1e-4;
  const auto expected = fit_linear_svm(options, data.vectors, data.labels, Rng(1), {});
  expect_near(fit_shards(options, data)->scores(data.vectors), expected->scores(data.vectors),
              2e-3);
}

TEST(ShardedTraining, CrossValidatesAsTheOthersDo) {
  const Data data = blobs(600, 8, 3, 2.5, 7);
  const auto expected = fit_linear_svm({}, data.vectors, data.labels, Rng(1), {});
  const auto found = fit_shards({}, data);
  ASSERT_EQ(found->statistics()->table.size(), expected->statistics()->table.size());
  for (size_t r = 0; r < found->statistics()->table.size(); ++r) {
    EXPECT_EQ(found->statistics()->table[r].C, expected->statistics()->table[r].C);
    EXPECT_NEAR(found->statistics()->table[r].score, expected->statistics()->table[r].score, 0.02);
  }
  ASSERT_TRUE(found->statistics()->convergence);
  EXPECT_TRUE(found->statistics()->convergence->reached);
}

TEST(ShardedTraining, AClassWithoutItemsIsNotPredicted) {
  Data data = blobs(300, 6, 3, 1, 8);
  for (auto& of_item : data.labels.of_item)
    if (of_item[0] == 2) of_item[0] = 1;
  const auto found = fit_shards({}, data);
  const Matrix<double> scores = found->scores(data.vectors);
  for (size_t i = 0; i < scores.rows(); ++i)
    EXPECT_LT(scores(i, 2), std::max(scores(i, 0), scores(i, 1)));
}

TEST(ShardedTraining, ThreadsDoNotChangeAByte) {
  const Data data = blobs(900, 300, 4, 3, 9);
  TensorMap saved[2];
  for (const int threads : {1, 2}) {
    const ThreadLimit limit(threads);
    fit_shards({}, data)->save(TensorWriter(saved[threads - 1]));
  }
  for (const auto& [name, tensor] : saved[0].tensors) {
    const Tensor& other = saved[1].tensors.at(name);
    ASSERT_EQ(tensor.num_bytes, other.num_bytes);
    EXPECT_EQ(std::memcmp(tensor.data, other.data, tensor.num_bytes), 0) << name;
  }
}

TEST(ShardedTraining, RefusesWhatCannotBeTrainedOn) {
  Data data = blobs(300, 6, 3, 1, 8);
  data.vectors(17, 3) = std::nanf("");
  EXPECT_ERROR(fit_shards({}, data), kData, "training item 17");
  data = blobs(300, 6, 3, 1, 8);
  for (auto& of_item : data.labels.of_item) of_item[0] = 1;
  EXPECT_ERROR(fit_shards({}, data), kData, "at least two classes");
}

}  // namespace
}  // namespace muster
