#include "muster/matching/principal_angles.h"

#include <gtest/gtest.h>

#include "muster/math/symmetric_eigen.h"
#include "oracle/set_kernels.h"
#include "support/set_kernels.h"

namespace muster {
namespace {

using Kernel = std::shared_ptr<const SetKernel>;

TEST(PrincipalAngles, OfPlanesInSpace) {
  // Dot products: the spans are the lines and planes themselves.
  LocalKernelOptions dot = oracle::local_options(LocalKernelKind::kPolynomial);
  dot.gamma = 1;
  dot.degree = 1;
  dot.offset = 0;
  const Kernel kernel = fit_principal_angles({0, dot}, {}, Rng(1), {});
  const auto set = [](std::vector<std::vector<float>> rows) {
    VectorSet out{Matrix<float>(rows.size(), 3), {}, 0, 0};
    for (size_t i = 0; i < rows.size(); ++i) std::ranges::copy(rows[i], out.vectors.row(i).begin());
    return out;
  };
  const VectorSet plane = set({{1, 0, 0}, {1, 1, 0}, {2, 3, 0}}),
                  tilted = set({{1, 0, 0}, {0, 1, 1}}), line = set({{0, 2, 2}});
  EXPECT_NEAR(oracle::value_of(*kernel, plane, tilted), 0.5,
              1e-6);  // angles 0 and 45 degrees; three vectors, one plane
  EXPECT_NEAR(oracle::value_of(*kernel, plane, line), 0.5, 1e-6);
  EXPECT_NEAR(oracle::value_of(*kernel, tilted, line), 1, 1e-6);
  EXPECT_EQ(oracle::value_of(*kernel, plane, set({{0, 0, 0}})), 0);
}

TEST(PrincipalAngles, AreAMercerKernelOfSpansOfOneDimension) {
  const Kernel kernel =
      fit_principal_angles({3, oracle::local_options(LocalKernelKind::kGaussian)}, {}, Rng(1), {});
  std::vector<VectorSet> sets;
  for (size_t i = 0; i < 20; ++i) sets.push_back(oracle::uniform_set(5 + i, 3, Rng(i)));
  const Matrix<double> values = oracle::gram_of(*kernel, sets);
  const Eigen::MatrixXd matrix = Eigen::Map<const Eigen::MatrixXd>(values.data(), 20, 20);
  EXPECT_GE(symmetric_eigenvalues(matrix)[0], -1e-6);
}

}  // namespace
}  // namespace muster
