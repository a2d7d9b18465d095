#include "muster/classify/linear_svm.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "muster/core/parallel.h"
#include "oracle/svm.h"
#include "support/expect_error.h"
#include "support/labelled_data.h"

namespace muster {
namespace {

using testing_data::blobs;
using testing_data::Data;

std::unique_ptr<Classifier> fit(const LinearSvmOptions& options, const Data& data) {
  return fit_linear_svm(options, data.vectors, data.labels, Rng(1), {});
}

Data centred(Data data) {
  const size_t n = data.vectors.rows();
  for (size_t d = 0; d < data.vectors.cols(); ++d) {
    double mean = 0;
    for (size_t i = 0; i < n; ++i) mean += data.vectors(i, d) / static_cast<double>(n);
    for (size_t i = 0; i < n; ++i) data.vectors(i, d) -= static_cast<float>(mean);
  }
  return data;
}

// Decisions of all items and classes by the oracle: scaled, bias appended, one-vs-all.
Matrix<double> oracle_scores(const Data& data, double C, double bias, bool balanced) {
  const size_t n = data.vectors.rows(), dim = data.vectors.cols();
  oracle::Rows rows(n, std::vector<double>(dim + 1, bias));
  double mean = 0;
  for (const float v : data.vectors.values())
    mean += static_cast<double>(v) * v / static_cast<double>(n);
  for (size_t i = 0; i < n; ++i)
    for (size_t d = 0; d < dim; ++d) rows[i][d] = data.vectors(i, d) / std::sqrt(mean);
  Matrix<double> out(n, static_cast<size_t>(data.labels.num_classes()));
  for (size_t k = 0; k < out.cols(); ++k) {
    std::vector<double> y, costs;
    double positives = 0;
    for (size_t i = 0; i < n; ++i) {
      y.push_back(data.labels.target(i, static_cast<int>(k)));
      positives += y.back() > 0;
    }
    const double total = static_cast<double>(n);
    for (const double sign : y)
      costs.push_back(C *
                      (balanced ? total / (2 * (sign > 0 ? positives : total - positives)) : 1));
    const std::vector<double> w = oracle::squared_hinge_weights(rows, y, costs);
    for (size_t i = 0; i < n; ++i) out(i, k) = oracle::inner(w, rows[i]);
  }
  return out;
}

void expect_scores(const LinearSvmOptions& options, const Data& data) {
  const Matrix<double> expected =
      oracle_scores(options.centre ? centred(data) : data, *options.C, options.bias,
                    options.class_weights == ClassWeights::kBalanced);
  const Matrix<double> scores = fit(options, data)->scores(data.vectors);
  for (size_t i = 0; i < scores.size(); ++i)
    ASSERT_NEAR(scores.values()[i], expected.values()[i], 2e-4)
        << "C=" << *options.C << " bias=" << options.bias
        << " solver=" << static_cast<int>(options.solver);
}

TEST(LinearSvm, BothSolversReachTheOracle) {
  for (const LinearSolver solver : {LinearSolver::kGram, LinearSolver::kPrimal}) {
    for (const auto& [n, dim, classes] :
         {std::tuple{12, 2, 3}, {30, 7, 4}, {20, 33, 3}, {9, 1, 3}}) {
      for (const double C : {0.1, 1.0, 20.0}) {
        LinearSvmOptions options;
        options.solver = solver;
        options.C = C;
        options.tolerance = 1e-7;
        options.calibrate = false;
        for (const bool centre : {false, true}) {
          options.centre = centre;
          expect_scores(options,
                        blobs(static_cast<size_t>(n), static_cast<size_t>(dim), classes, 1.5, 3));
        }
      }
    }
  }
}

TEST(LinearSvm, BalancedWeightsAndOtherBiasReachTheOracle) {
  Data data = blobs(30, 5, 3, 1.5, 4);
  for (size_t i = 0; i < 12; ++i) data.labels.of_item[i] = {0};
  for (const LinearSolver solver : {LinearSolver::kGram, LinearSolver::kPrimal}) {
    for (const double bias : {0.0, 0.5, 3.0}) {
      LinearSvmOptions options;
      options.solver = solver;
      options.C = 2;
      options.tolerance = 1e-7;
      options.bias = bias;
      options.class_weights = ClassWeights::kBalanced;
      options.calibrate = false;
      expect_scores(options, data);
    }
  }
}

TEST(LinearSvm, ScaleOfTheInputDoesNotMatter) {
  Data data = blobs(40, 6, 4, 1, 5);
  LinearSvmOptions options;
  options.tolerance = 1e-5;
  const Matrix<double> scores = fit(options, data)->scores(data.vectors);
  for (float& value : data.vectors.values()) value *= 1000;
  const Matrix<double> again = fit(options, data)->scores(data.vectors);
  for (size_t i = 0; i < scores.size(); ++i)
    EXPECT_NEAR(scores.values()[i], again.values()[i], 2e-3);
}

TEST(LinearSvm, LearnsInEveryScheme) {
  const Data data = blobs(200, 20, 5, 1, 6);
  for (const Scheme scheme : {Scheme::kOneVsAll, Scheme::kOneVsOne}) {
    for (const LinearSolver solver : {LinearSolver::kGram, LinearSolver::kPrimal}) {
      LinearSvmOptions options;
      options.scheme = scheme;
      options.solver = solver;
      const auto model = fit(options, data);
      EXPECT_GT(testing_data::accuracy(model->scores(data.vectors), data.labels), 0.95);
      ASSERT_NE(model->statistics(), nullptr);
      EXPECT_GE(model->statistics()->table.size(), 4u);
      EXPECT_EQ(model->statistics()->folds, 10);
      EXPECT_GT(model->statistics()->table.back().score, 0.9);
    }
  }
}

TEST(LinearSvm, BothSolversCrossValidateAlike) {
  const Data data = blobs(90, 8, 3, 2.5, 7);
  LinearSvmOptions gram, primal;
  gram.tolerance = primal.tolerance = 1e-6;
  gram.solver = LinearSolver::kGram;
  primal.solver = LinearSolver::kPrimal;
  const auto a = fit(gram, data), b = fit(primal, data);
  for (size_t r = 0; r < a->statistics()->table.size(); ++r)
    EXPECT_NEAR(a->statistics()->table[r].score, b->statistics()->table[r].score, 0.012);
}

TEST(LinearSvm, SameBytesForAnyNumberOfThreads) {
  const Data data = blobs(300, 30, 4, 2, 8);
  TensorMap saved[2];
  for (const int threads : {1, 4}) {
    const ThreadLimit limit(threads);
    fit({}, data)->save(TensorWriter(saved[threads == 4]));
  }
  ASSERT_EQ(saved[0].tensors.size(), saved[1].tensors.size());
  for (const auto& [name, tensor] : saved[0].tensors) {
    const Tensor& other = saved[1].tensors.at(name);
    ASSERT_EQ(tensor.num_bytes, other.num_bytes);
    EXPECT_EQ(std::memcmp(tensor.data, other.data, tensor.num_bytes), 0) << name;
  }
}

TEST(LinearSvm, LoadsWhatItSaved) {
  for (const Scheme scheme : {Scheme::kOneVsAll, Scheme::kOneVsOne}) {
    for (const int classes : {2, 4}) {
      const Data data = blobs(60, 9, classes, 1, 9);
      LinearSvmOptions options;
      options.scheme = scheme;
      const auto model = fit(options, data);
      TensorMap map;
      model->save(TensorWriter(map).scope("svm"));
      const auto loaded = load_linear_svm(options, TensorReader(map).scope("svm"));
      EXPECT_EQ(loaded->num_classes(), classes);
      const Matrix<double> scores = model->scores(data.vectors);
      EXPECT_EQ(loaded->scores(data.vectors), scores);
      EXPECT_EQ(loaded->probabilities(scores), model->probabilities(scores));
      EXPECT_EQ(loaded->statistics()->table, model->statistics()->table);
      EXPECT_EQ(loaded->statistics()->C, model->statistics()->C);
    }
  }
}

TEST(LinearSvm, RefusesAModelThatDoesNotFitItself) {
  const Data data = blobs(60, 9, 4, 1, 9);
  TensorMap map;
  fit({}, data)->save(TensorWriter(map));
  LinearSvmOptions other;
  other.scheme = Scheme::kOneVsOne;
  EXPECT_THROW(load_linear_svm(other, TensorReader(map)), Error);
  map.tensors.erase("offsets");
  EXPECT_THROW(load_linear_svm({}, TensorReader(map)), Error);
}

TEST(LinearSvm, ProbabilitiesFollowTheScores) {
  const Data data = blobs(150, 5, 3, 2.5, 10);
  for (const bool fixed : {false, true}) {
    LinearSvmOptions options;
    if (fixed) options.C = 1;
    const auto model = fit(options, data);
    const Matrix<double> scores = model->scores(data.vectors), p = model->probabilities(scores);
    double likelihood = 0;
    for (size_t i = 0; i < scores.rows(); ++i) {
      double sum = 0;
      for (const double value : p.row(i)) sum += value;
      EXPECT_NEAR(sum, 1, 1e-12);
      EXPECT_EQ(std::ranges::max_element(p.row(i)) - p.row(i).begin(),
                std::ranges::max_element(scores.row(i)) - scores.row(i).begin());
      likelihood += std::log(p(i, static_cast<size_t>(data.labels.first(i))));
    }
    EXPECT_GT(likelihood / static_cast<double>(scores.rows()), std::log(1.0 / 3));
    EXPECT_EQ(model->statistics()->folds, fixed ? kCalibrationFolds : 10);
  }
}

TEST(LinearSvm, MultiLabel) {
  Data data = testing_data::multi_label(200, 12, 4, 1, 11);
  data.labels.difficult.resize(200);
  data.labels.difficult[0] = {0, 1, 2, 3};
  const auto model = fit({}, data);
  const Matrix<double> scores = model->scores(data.vectors);
  ASSERT_EQ(scores.cols(), 4u);
  size_t right = 0;
  const Matrix<double> p = model->probabilities(scores);
  for (size_t i = 0; i < 200; ++i)
    for (int c = 0; c < 4; ++c)
      right += (p(i, static_cast<size_t>(c)) > 0.5) == (data.labels.target(i, c) > 0);
  EXPECT_GT(static_cast<double>(right) / 800, 0.95);
  LinearSvmOptions one_vs_one;
  one_vs_one.scheme = Scheme::kOneVsOne;
  EXPECT_THROW(fit(one_vs_one, data), Error);
}

TEST(LinearSvm, OneConceptWithAndWithout) {
  Data data = blobs(40, 5, 2, 0.2, 12);
  data.labels.class_names = {"concept"};
  for (auto& of_item : data.labels.of_item)
    if (of_item[0] == 1) of_item.clear();
  const Matrix<double> scores = fit({}, data)->scores(data.vectors);
  ASSERT_EQ(scores.cols(), 1u);
  for (size_t i = 0; i < 40; ++i) EXPECT_EQ(scores(i, 0) > 0, i % 2 == 0);
}

TEST(LinearSvm, ClassesOfOneItemAndOfNone) {
  Data data = blobs(41, 6, 2, 0.5, 13);
  data.labels.class_names = {"many", "also", "single", "none"};
  data.labels.of_item[40] = {2};
  for (float& value : data.vectors.row(40)) value = -8;
  const Matrix<double> scores = fit({}, data)->scores(data.vectors);
  EXPECT_EQ(testing_data::accuracy(scores, data.labels), 1);

  Data tiny = blobs(3, 4, 3, 0.1, 14);
  const auto model = fit({}, tiny);
  EXPECT_EQ(model->statistics()->C, kDefaultC);
  EXPECT_EQ(model->statistics()->folds, 0);
  EXPECT_EQ(testing_data::accuracy(model->scores(tiny.vectors), tiny.labels), 1);
}

TEST(LinearSvm, ConstantAndDuplicateVectorsDoNotHurt) {
  Data data = blobs(40, 3, 2, 1, 15);
  for (const float constant : {0.0f, 2.0f}) {
    for (float& value : data.vectors.values()) value = constant;
    const Matrix<double> scores = fit({}, data)->scores(data.vectors);
    for (const double score : scores.values()) EXPECT_TRUE(std::isfinite(score));
  }
}

TEST(LinearSvm, SaysWhatIsWrong) {
  Data data = blobs(10, 3, 1, 1, 16);
  EXPECT_ERROR(fit({}, data), kData, "at least two classes");
  EXPECT_ERROR(fit({}, data), kData, "class0");
  data = blobs(10, 3, 2, 1, 16);
  data.vectors(7, 1) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_ERROR(fit({}, data), kData, "item 7");
  LinearSvmOptions options;
  options.C = -1;
  EXPECT_ERROR(fit(options, blobs(10, 3, 2, 1, 16)), kUsage, "C");
}

TEST(LinearSvmDeathTest, TakesNoGramRows) {
  const Data data = blobs(10, 3, 2, 1, 17);
  const auto model = fit({}, data);
  EXPECT_FALSE(model->takes_gram());
  EXPECT_DEATH(model->scores_from_gram({}), "takes vectors");
}

}  // namespace
}  // namespace muster
