#include "muster/codebook/kernel_basis.h"

#include <gtest/gtest.h>

#include <cmath>

#include "muster/core/parallel.h"
#include "support/random_data.h"

namespace muster {
namespace {

LocalKernel kernel_of(LocalKernelKind kind, double gamma) {
  LocalKernelOptions options;
  options.kernel = kind;
  options.gamma = gamma;
  return LocalKernel(options);
}

Matrix<float> uniform_line(size_t n, Rng rng) {
  Matrix<float> out(n, 1);
  for (float& value : out.values()) value = static_cast<float>(rng.uniform(-10, 10));
  return out;
}

TEST(KernelBasis, GradientDescentLowersTheObjective) {
  for (LocalKernelKind kind : {LocalKernelKind::kGaussian, LocalKernelKind::kCauchy}) {
    const LocalKernel kernel = kernel_of(kind, 1);
    const Matrix<float> sample = uniform_line(200, Rng(1));
    KernelBasisOptions options;
    options.dim = 20;
    options.iterations = 0;
    const Matrix<float> start = fit_kernel_basis(options, kernel, sample, Rng(2), {}).vectors;
    options.iterations = 500;
    const KernelBasis learned = fit_kernel_basis(options, kernel, sample, Rng(2), {});
    EXPECT_EQ(learned.objective_per_iteration.size(), 500u);
    EXPECT_LT(basis_objective(kernel, options.ridge, learned.vectors, sample),
              basis_objective(kernel, options.ridge, start, sample));
  }
}

// One step with a tiny rate moves along the negative gradient: compared with differences of the
// objective.
TEST(KernelBasis, StepIsTheNegativeGradient) {
  const LocalKernel kernel = kernel_of(LocalKernelKind::kGaussian, 0.5);
  const Matrix<float> sample = oracle::normal_matrix(15, 2, Rng(3));
  KernelBasisOptions options;
  options.dim = 6;
  options.ridge = 1e-2;
  options.init = BasisInit::kRandom;
  options.iterations = 0;
  const Matrix<float> before = fit_kernel_basis(options, kernel, sample, Rng(4), {}).vectors;
  options.iterations = 1;
  options.rate = 1e-3;
  const Matrix<float> after = fit_kernel_basis(options, kernel, sample, Rng(4), {}).vectors;
  const Matrix<float> batch =
      select_rows(sample.view(), Rng(4).derive("batch").derive(uint64_t{1}).sample(15, 6));
  for (size_t j = 0; j < 6; ++j)
    for (size_t t = 0; t < 2; ++t) {
      Matrix<float> up = before, down = before;
      up(j, t) += 0.02f;
      down(j, t) -= 0.02f;
      const double slope =
          (basis_objective(kernel, 1e-2, up, batch) - basis_objective(kernel, 1e-2, down, batch)) /
          (double(up(j, t)) - down(j, t));
      EXPECT_NEAR((before(j, t) - after(j, t)) / 1e-3, slope, 0.05 * std::abs(slope) + 5e-3);
    }
}

TEST(KernelBasis, InverseRootInvertsTheGram) {
  const LocalKernel kernel = kernel_of(LocalKernelKind::kGaussian, 0.5);
  const Matrix<float> basis = oracle::normal_matrix(7, 3, Rng(5));
  const Matrix<float> root = inverse_root(kernel, 1e-9, basis);
  // G K G' = I
  for (size_t a = 0; a < 7; ++a)
    for (size_t b = 0; b < 7; ++b) {
      double sum = 0;
      for (size_t i = 0; i < 7; ++i)
        for (size_t j = 0; j < 7; ++j)
          sum += double(root(a, i)) * kernel.value(basis.row(i), basis.row(j)) * root(b, j);
      EXPECT_NEAR(sum, a == b ? 1 : 0, 1e-3);
    }
}

TEST(KernelBasis, EqualBasisVectorsStayFinite) {
  const Matrix<float> root =
      inverse_root(kernel_of(LocalKernelKind::kGaussian, 1), 1e-12, Matrix<float>(4, 2));
  for (float value : root.values()) EXPECT_TRUE(std::isfinite(value));
}

TEST(KernelBasis, SameBytesForAnyThreadCount) {
  const Matrix<float> sample = oracle::normal_matrix(400, 5, Rng(6));
  KernelBasisOptions options;
  options.dim = 150;
  options.iterations = 3;
  Matrix<float> found[2];
  for (int threads : {1, 2}) {
    const ThreadLimit limit(threads);
    found[threads - 1] =
        fit_kernel_basis(options, kernel_of(LocalKernelKind::kGaussian, 0.2), sample, Rng(7), {})
            .vectors;
  }
  EXPECT_EQ(found[0], found[1]);
}

}  // namespace
}  // namespace muster
