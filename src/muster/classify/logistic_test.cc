#include "muster/classify/logistic.h"

#include <gtest/gtest.h>

#include "muster/classify/klr.h"
#include "support/labelled_data.h"

namespace muster {
namespace {

using testing_data::blobs;
using testing_data::Data;

Matrix<double> dot_gram(const Data& data) {
  const size_t n = data.vectors.rows();
  Matrix<double> out(n, n);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t d = 0; d < data.vectors.cols(); ++d)
        out(i, j) += static_cast<double>(data.vectors(i, d)) * data.vectors(j, d);
  return out;
}

// The same problem by three solvers: on the Gram of klr, on a Gram of its own, and by LIBLINEAR.
TEST(Logistic, AllSolversAgree) {
  for (const bool balanced : {false, true}) {
    const Data data = blobs(50, 5, 3, 1.2, 10);
    const Matrix<double> gram = dot_gram(data);
    KlrOptions kernel;
    kernel.C = 5;
    kernel.tolerance = 1e-7;
    LogisticOptions options;
    options.C = 5;
    options.tolerance = 1e-7;
    kernel.class_weights = options.class_weights =
        balanced ? ClassWeights::kBalanced : ClassWeights::kNone;
    const KernelChoice choice = choose_klr_kernel(kernel, {gram}, {}, data.labels, Rng(1), {});
    const Matrix<double> expected =
        fit_klr(kernel, DefiniteGram(gram), data.labels, choice, {})->scores_from_gram(gram);
    for (const LinearSolver solver : {LinearSolver::kGram, LinearSolver::kPrimal}) {
      options.solver = solver;
      const auto model = fit_logistic(options, data.vectors, data.labels, Rng(1), {});
      const Matrix<double> scores = model->scores(data.vectors);
      for (size_t i = 0; i < scores.size(); ++i)
        ASSERT_NEAR(scores.data()[i], expected.data()[i], 2e-4) << static_cast<int>(solver);
    }
  }
}

TEST(Logistic, ChoosesC) {
  const Data data = blobs(90, 6, 3, 0.8, 11);
  for (const LinearSolver solver : {LinearSolver::kGram, LinearSolver::kPrimal}) {
    LogisticOptions options;
    options.solver = solver;
    const auto model = fit_logistic(options, data.vectors, data.labels, Rng(1), {});
    EXPECT_GE(model->statistics()->table.size(), 4u);
    EXPECT_GT(testing_data::accuracy(model->scores(data.vectors), data.labels), 0.8);
  }
}

}  // namespace
}  // namespace muster
