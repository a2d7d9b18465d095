#include "muster/crossval/indefinite.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "muster/classify/kernel_svm.h"
#include "support/expect_error.h"
#include "support/labelled_data.h"

namespace muster {
namespace {

// Symmetric with random values: about half of its eigenvalues are negative.
Matrix<double> random_symmetric(size_t n, double diagonal = 0) {
  Rng rng(n);
  Matrix<double> out(n, n);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j <= i; ++j) out(i, j) = out(j, i) = rng.normal() + (i == j ? diagonal : 0);
  return out;
}

Eigen::MatrixXd dense(const Matrix<double>& m) {
  return Eigen::Map<const Eigen::MatrixXd>(m.data(), static_cast<Eigen::Index>(m.rows()),
                                           static_cast<Eigen::Index>(m.cols()));
}

TEST(Indefinite, TreatmentsChangeTheEigenvaluesAsTheySay) {
  for (size_t n : {1, 2, 5, 30}) {
    const Matrix<double> gram = random_symmetric(n, n == 1 ? -5 : 0);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(dense(gram));
    const Eigen::VectorXd values = eigen.eigenvalues();
    const auto with = [&](const Eigen::VectorXd& changed) {
      return Eigen::MatrixXd(eigen.eigenvectors() * changed.asDiagonal() *
                             eigen.eigenvectors().transpose());
    };
    const std::pair<Indefinite, Eigen::MatrixXd> expected[] = {
        {Indefinite::kClip, with(values.cwiseMax(0))},
        {Indefinite::kFlip, with(values.cwiseAbs())},
        {Indefinite::kShift, with(values.array() - values[0])}};
    for (const auto& [treatment, matrix] : expected) {
      const DefiniteGram treated(gram, treatment, "kernel-svm");
      ASSERT_TRUE(treated.found());
      EXPECT_NEAR(treated.found()->smallest_eigenvalue, values[0], 1e-9);
      EXPECT_NEAR(treated.found()->largest_eigenvalue, values[values.size() - 1], 1e-9);
      EXPECT_EQ(treated.found()->negative, static_cast<size_t>((values.array() < 0).count()));
      EXPECT_LT((dense(treated.gram()) - matrix).norm(), 1e-9);
      // Scores of the training items as new ones: K (P a) = K' a; a shift leaves new items alone.
      Eigen::VectorXd before = Eigen::VectorXd::LinSpaced(static_cast<Eigen::Index>(n), -1, 1),
                      folded = before;
      treated.fold_into({folded.data(), n});
      const Eigen::MatrixXd& seen = treatment == Indefinite::kShift ? dense(gram) : matrix;
      EXPECT_LT((dense(gram) * folded - seen * before).norm(), 1e-9);
    }
  }
}

TEST(Indefinite, RefusalSaysWhatWasFoundAndWhatToDo) {
  EXPECT_ERROR(DefiniteGram(random_symmetric(6), Indefinite::kRefuse, "kernel-svm"), kData,
               "smallest is -");
  EXPECT_ERROR(DefiniteGram(random_symmetric(6), Indefinite::kRefuse, "kernel-svm"), kData,
               "indefinite=clip");
}

TEST(Indefinite, RoundingIsNoReasonToTreatAGram) {
  Matrix<double> ones(40, 40);
  for (double& value : ones.values()) value = 1;
  ones(3, 5) = ones(5, 3) = 1 + 1e-7;  // an eigenvalue of -1e-7
  const DefiniteGram treated(ones, Indefinite::kRefuse, "kernel-svm");
  EXPECT_FALSE(treated.found());
  EXPECT_EQ(treated.gram(), ones);
  EXPECT_FALSE(DefiniteGram(Matrix<double>(4, 4), Indefinite::kRefuse, "kernel-svm").found());
  EXPECT_FALSE(DefiniteGram(Matrix<double>(), Indefinite::kRefuse, "kernel-svm").found());
}

// A kernel with labels in it and indefinite noise on top: it can be learnt, and says what was
// found.
TEST(Indefinite, KernelSvmLearnsReportsAndPredictsWithKernelValuesAsTheyCome) {
  const testing_data::Data data = testing_data::blobs(60, 4, 3, 0.5, 1);
  const Matrix<double> noise = random_symmetric(60);
  Matrix<double> gram(60, 60);
  for (size_t i = 0; i < 60; ++i)
    for (size_t j = 0; j < 60; ++j)
      gram(i, j) = (data.labels.first(i) == data.labels.first(j) ? 1 : 0) + 0.2 * noise(i, j);
  for (const SvmLoss loss : {SvmLoss::kSquaredHinge, SvmLoss::kHinge})
    for (const Indefinite treatment : {Indefinite::kClip, Indefinite::kFlip, Indefinite::kShift}) {
      KernelSvmOptions options;
      options.loss = loss;
      options.indefinite = treatment;
      const auto model = fit_kernel_svm(options, gram, data.labels, Rng(1), {});
      ASSERT_TRUE(model->statistics()->indefinite);
      EXPECT_LT(model->statistics()->indefinite->smallest_eigenvalue, -1);
      const Matrix<double> scores = model->scores_from_gram(gram);
      size_t correct = 0;
      for (size_t i = 0; i < 60; ++i)
        correct +=
            std::ranges::max_element(scores.row(i)) - scores.row(i).begin() == data.labels.first(i);
      EXPECT_GE(correct, 57u);
      TensorMap saved;
      model->save(TensorWriter(saved));
      const auto loaded = load_kernel_svm(options, TensorReader(saved));
      EXPECT_EQ(loaded->statistics()->indefinite, model->statistics()->indefinite);
      EXPECT_EQ(loaded->scores_from_gram(gram), scores);
    }
}

}  // namespace
}  // namespace muster
