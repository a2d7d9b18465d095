#include "muster/classify/kernel_svm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "muster/classify/klr.h"
#include "muster/classify/linear_svm.h"
#include "muster/core/parallel.h"
#include "oracle/svm.h"
#include "support/expect_error.h"
#include "support/labelled_data.h"

namespace muster {
namespace {

using testing_data::blobs;
using testing_data::Data;
using testing_data::rbf_gram;

std::unique_ptr<Classifier> fit(const KernelSvmOptions& options, const Data& data,
                                const Matrix<double>& gram) {
  return fit_kernel_svm(options, gram, data.labels, Rng(1), {});
}

TEST(KernelSvm, ReachesTheOracle) {
  for (const auto& [n, classes] : {std::pair{6, 3}, {25, 3}, {40, 4}}) {
    for (const ClassWeights weights : {ClassWeights::kNone, ClassWeights::kBalanced}) {
      const Data data = blobs(static_cast<size_t>(n), 3, classes, 1, 3);
      const Matrix<double> gram = rbf_gram(data, 0.3, 7);
      KernelSvmOptions options;
      options.C = 2;
      options.loss = SvmLoss::kHinge;
      options.tolerance = 1e-8;
      options.class_weights = weights;
      const Matrix<double> scores = fit(options, data, gram)->scores_from_gram(gram);
      const auto total = static_cast<double>(n);
      oracle::Rows k;
      for (size_t i = 0; i < gram.rows(); ++i) {
        k.emplace_back(gram.row(i).begin(), gram.row(i).end());
        for (double& value : k.back()) value /= 7;
      }
      for (int c = 0; c < classes; ++c) {
        std::vector<double> y, costs;
        for (size_t i = 0; i < gram.rows(); ++i) y.push_back(data.labels.target(i, c));
        const auto positives = static_cast<double>(std::ranges::count(y, 1.0));
        for (const double sign : y)
          costs.push_back(weights == ClassWeights::kNone
                              ? 2
                              : 2 * total / (2 * (sign > 0 ? positives : total - positives)));
        double offset = 0;
        const std::vector<double> coefficients = oracle::c_svc(k, y, costs, offset);
        for (size_t i = 0; i < gram.rows(); ++i)
          ASSERT_NEAR(scores(i, static_cast<size_t>(c)), oracle::inner(coefficients, k[i]) + offset,
                      1e-4);
      }
    }
  }
}

// On dot products the squared hinge is linear-svm's problem, which has an oracle of its own.
TEST(KernelSvm, SquaredHingeOnDotProductsIsTheLinearSvm) {
  for (const ClassWeights weights : {ClassWeights::kNone, ClassWeights::kBalanced}) {
    const Data data = blobs(30, 5, 3, 1.5, 3);
    Matrix<double> gram(30, 30);
    for (size_t i = 0; i < 30; ++i)
      for (size_t j = 0; j < 30; ++j)
        for (size_t d = 0; d < 5; ++d)
          gram(i, j) += static_cast<double>(data.vectors(i, d)) * data.vectors(j, d);
    KernelSvmOptions options;
    LinearSvmOptions linear;
    options.C = linear.C = 3;
    options.tolerance = linear.tolerance = 1e-6;
    options.class_weights = linear.class_weights = weights;
    const Matrix<double> scores = fit(options, data, gram)->scores_from_gram(gram);
    const Matrix<double> expected =
        fit_linear_svm(linear, data.vectors, data.labels, Rng(1), {})->scores(data.vectors);
    for (size_t i = 0; i < scores.size(); ++i)
      ASSERT_NEAR(scores.values()[i], expected.values()[i], 1e-3);
  }
}

TEST(KernelSvm, LearnsInEverySchemeAndLoadsWhatItSaved) {
  const Data data = blobs(120, 4, 4, 0.7, 4);
  const Matrix<double> gram = rbf_gram(data, 0.1);
  for (const Scheme scheme : {Scheme::kOneVsAll, Scheme::kOneVsOne}) {
    KernelSvmOptions options;
    options.scheme = scheme;
    const auto model = fit(options, data, gram);
    EXPECT_TRUE(model->takes_gram());
    const Matrix<double> scores = model->scores_from_gram(gram);
    EXPECT_GT(testing_data::accuracy(scores, data.labels), 0.9);
    EXPECT_GE(model->statistics()->table.size(), 4u);
    TensorMap map;
    model->save(TensorWriter(map));
    const auto loaded = load_kernel_svm(options, TensorReader(map));
    EXPECT_EQ(loaded->scores_from_gram(gram), scores);
    EXPECT_EQ(loaded->probabilities(scores), model->probabilities(scores));
    EXPECT_EQ(loaded->statistics()->C, model->statistics()->C);
    map.tensors.erase("coefficients");
    EXPECT_THROW(load_kernel_svm(options, TensorReader(map)), Error);
  }
}

TEST(KernelSvm, SameBytesForAnyNumberOfThreads) {
  const Data data = blobs(90, 4, 3, 1.5, 5);
  const Matrix<double> gram = rbf_gram(data, 0.1);
  TensorMap saved[2];
  for (const int threads : {1, 4}) {
    const ThreadLimit limit(threads);
    fit({}, data, gram)->save(TensorWriter(saved[threads == 4]));
  }
  for (const auto& [name, tensor] : saved[0].tensors)
    EXPECT_EQ(std::memcmp(tensor.data, saved[1].tensors.at(name).data, tensor.num_bytes), 0)
        << name;
}

TEST(KernelSvm, ChoosesTheKernelThatPredicts) {
  const Data data = blobs(80, 3, 3, 0.8, 6);
  const Matrix<double> narrow = rbf_gram(data, 1e4), good = rbf_gram(data, 0.2);
  for (const bool fixed : {false, true}) {
    KernelSvmOptions options;
    if (fixed) options.C = 3;
    options.calibrate = !fixed;
    const KernelChoice choice =
        choose_kernel(options, {narrow.view(), good.view()}, {}, data.labels, Rng(1), {});
    EXPECT_EQ(choice.index, 1u);
    ASSERT_EQ(choice.tables.size(), 2u);
    EXPECT_GT(choice.tables[1].back().score, choice.tables[0].back().score);
    const auto model = fit_kernel_svm(options, DefiniteGram(good), data.labels, choice, {});
    EXPECT_EQ(model->statistics()->C, choice.best.statistics.C);
    EXPECT_GT(testing_data::accuracy(model->scores_from_gram(good), data.labels), 0.8);
  }
}

// A kernel that fits all items only because it knows their labels is seen through.
TEST(KernelSvm, TheKernelOfAFoldIsWhatCounts) {
  const Data data = blobs(80, 3, 3, 0.8, 6);
  const Matrix<double> narrow = rbf_gram(data, 1e4), good = rbf_gram(data, 0.2);
  const std::vector<MatrixView<const double>> alike = {good.view(), good.view()};
  const auto of_fold = [&](size_t candidate, std::span<const size_t>) {
    return candidate == 0 ? narrow : good;
  };
  EXPECT_EQ(choose_kernel({}, alike, of_fold, data.labels, Rng(1), {}).index, 1u);
  EXPECT_EQ(choose_klr_kernel({}, alike, of_fold, data.labels, Rng(1), {}).index, 1u);
}

TEST(KernelSvm, ScaleOfTheGramDoesNotMatter) {
  const Data data = blobs(60, 4, 3, 1, 7);
  KernelSvmOptions options;
  options.tolerance = 1e-8;
  const Matrix<double> gram = rbf_gram(data, 0.1), large = rbf_gram(data, 0.1, 1024);
  const Matrix<double> a = fit(options, data, gram)->scores_from_gram(gram);
  const Matrix<double> b = fit(options, data, large)->scores_from_gram(large);
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a.values()[i], b.values()[i], 1e-6);
}

// A kernel with labels in it and indefinite noise on top: it can be learned, and the model says
// what was found.
TEST(KernelSvm, LearnsFromAnIndefiniteGramReportsItAndPredictsWithKernelValuesAsTheyCome) {
  const Data data = blobs(60, 4, 3, 0.5, 1);
  Rng noise(60);
  Matrix<double> gram(60, 60);
  for (size_t i = 0; i < 60; ++i)
    for (size_t j = 0; j <= i; ++j)
      gram(i, j) = gram(j, i) =
          (data.labels.first(i) == data.labels.first(j) ? 1 : 0) + 0.2 * noise.normal();
  for (const SvmLoss loss : {SvmLoss::kSquaredHinge, SvmLoss::kHinge})
    for (const Indefinite treatment : {Indefinite::kClip, Indefinite::kFlip, Indefinite::kShift}) {
      KernelSvmOptions options;
      options.loss = loss;
      options.indefinite = treatment;
      const auto model = fit(options, data, gram);
      ASSERT_TRUE(model->statistics()->indefinite);
      EXPECT_LT(model->statistics()->indefinite->smallest_eigenvalue, -1);
      const Matrix<double> scores = model->scores_from_gram(gram);
      EXPECT_GE(testing_data::accuracy(scores, data.labels), 0.95);
      TensorMap saved;
      model->save(TensorWriter(saved));
      const auto loaded = load_kernel_svm(options, TensorReader(saved));
      EXPECT_EQ(loaded->statistics()->indefinite, model->statistics()->indefinite);
      EXPECT_EQ(loaded->scores_from_gram(gram), scores);
    }
}

TEST(KernelSvm, MultiLabelAndSmallClasses) {
  Data data = testing_data::multi_label(100, 6, 3, 0.7, 8);
  Matrix<double> gram = rbf_gram(data, 0.02);
  const auto model = fit({}, data, gram);
  const Matrix<double> p = model->probabilities(model->scores_from_gram(gram));
  size_t right = 0;
  for (size_t i = 0; i < 100; ++i)
    for (int c = 0; c < 3; ++c)
      right += (p(i, static_cast<size_t>(c)) > 0.5) == (data.labels.target(i, c) > 0);
  EXPECT_GT(right, 280u);

  Data tiny = blobs(4, 2, 3, 0.1, 9);
  tiny.labels.class_names.push_back("none");
  gram = rbf_gram(tiny, 1);
  KernelSvmOptions options;
  options.C = 10;
  EXPECT_EQ(testing_data::accuracy(fit(options, tiny, gram)->scores_from_gram(gram), tiny.labels),
            1);
}

TEST(KernelSvm, SaysWhatIsWrong) {
  const Data data = blobs(10, 3, 2, 1, 10);
  Matrix<double> gram = rbf_gram(data, 1);
  gram(3, 2) = gram(2, 3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_ERROR(fit({}, data, gram), kData, "items 2 and 3");
  const Data one = blobs(10, 3, 1, 1, 10);
  EXPECT_ERROR(fit({}, one, rbf_gram(one, 1)), kData, "class");
}

TEST(KernelSvmDeathTest, AsymmetricGramIsABug) {
  const Data data = blobs(10, 3, 2, 1, 11);
  Matrix<double> gram = rbf_gram(data, 1);
  gram(3, 2) += 0.5;
  EXPECT_DEATH(fit({}, data, gram), "mirrored");
}

}  // namespace
}  // namespace muster
