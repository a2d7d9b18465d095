#include "muster/crossval/indefinite.h"

#include <gtest/gtest.h>

#include "muster/core/rng.h"
#include "muster/math/symmetric_eigen.h"
#include "support/expect_error.h"

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
    const SymmetricEigen eigen = symmetric_eigen(dense(gram));
    const Eigen::VectorXd& values = eigen.values;
    const auto with = [&](const Eigen::VectorXd& changed) {
      return Eigen::MatrixXd(eigen.vectors * changed.asDiagonal() * eigen.vectors.transpose());
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

}  // namespace
}  // namespace muster
