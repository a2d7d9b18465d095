#include "muster/codebook/kernel_basis.h"

#include <Eigen/Cholesky>
#include <cmath>

#include "muster/core/parallel.h"
#include "muster/math/gemm.h"
#include "muster/math/nearest.h"

namespace muster {
namespace {

using Dense = Eigen::MatrixXd;
using Cholesky = Eigen::LLT<Dense>;

constexpr size_t kBlockRows = 128;
// The first step with rate=auto moves the basis by this share of its spread.
constexpr double kFirstStep = 0.1;
// k-means only has to find a start: gradient steps follow.
constexpr size_t kStartVectorsPerBasisVector = 20;
constexpr int kStartIterations = 10;

Matrix<float> kernel_block(const LocalKernel& kernel, ConstMatrixView a, ConstMatrixView b) {
  Matrix<float> out(a.rows, b.rows);
  const std::vector<float> half_a = half_squared_norms(a), half_b = half_squared_norms(b);
  parallel_for(a.rows, kBlockRows, [&](size_t begin, size_t end) {
    kernel.block(a.slice_rows(begin, end - begin), std::span(half_a).subspan(begin, end - begin), b,
                 half_b, out.view().slice_rows(begin, end - begin));
  });
  return out;
}

Cholesky factorise(const Matrix<float>& gram, double ridge) {
  const auto n = static_cast<Eigen::Index>(gram.rows());
  Dense matrix(n, n);
  double diagonal = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j)
      matrix(i, j) = gram(static_cast<size_t>(std::max(i, j)), static_cast<size_t>(std::min(i, j)));
    diagonal += matrix(i, i);
  }
  diagonal = std::max(diagonal / static_cast<double>(n), 1e-30);
  for (double added = 0, wanted = ridge * diagonal;; wanted *= 10) {
    matrix.diagonal().array() += wanted - added;
    added = wanted;
    Cholesky factor(matrix);
    if (factor.info() == Eigen::Success) return factor;
    MUSTER_CHECK(wanted < 1e6 * diagonal);
  }
}

// V with V' = K_ZZ^-1 K_ZX: one row of coefficients per sample.
Matrix<float> coefficients(const Cholesky& factor, const Matrix<float>& samples_by_basis) {
  Matrix<float> out(samples_by_basis.rows(), samples_by_basis.cols());
  parallel_for(out.rows(), 64, [&](size_t begin, size_t end) {
    const auto dim = static_cast<Eigen::Index>(out.cols()),
               count = static_cast<Eigen::Index>(end - begin);
    Dense block(dim, count);
    for (Eigen::Index c = 0; c < count; ++c)
      for (Eigen::Index j = 0; j < dim; ++j)
        block(j, c) = samples_by_basis(begin + static_cast<size_t>(c), static_cast<size_t>(j));
    factor.solveInPlace(block);
    for (Eigen::Index c = 0; c < count; ++c)
      for (Eigen::Index j = 0; j < dim; ++j)
        out(begin + static_cast<size_t>(c), static_cast<size_t>(j)) =
            static_cast<float>(block(j, c));
  });
  return out;
}

double mean_objective(const Matrix<float>& coefficient, const Matrix<float>& samples_by_basis) {
  double sum = 0;
  for (size_t i = 0; i < coefficient.size(); ++i)
    sum += static_cast<double>(coefficient.data()[i]) * samples_by_basis.data()[i];
  return -sum / static_cast<double>(std::max<size_t>(coefficient.rows(), 1));
}

// out_j += sign * sum_i weights(i, j) (x_i - z_j)
void add_weighted_differences(const Matrix<float>& weights, ConstMatrixView x, ConstMatrixView z,
                              float sign, Matrix<float>& out) {
  gemm_tn(weights, x, out, sign, 1);
  for (size_t j = 0; j < z.rows; ++j) {
    double total = 0;
    for (size_t i = 0; i < weights.rows(); ++i) total += weights(i, j);
    for (size_t t = 0; t < z.cols; ++t) out(j, t) -= sign * static_cast<float>(total) * z(j, t);
  }
}

struct Step {
  double objective;
  Matrix<float> gradient;
};

// With v_x = K_ZZ^-1 k_Z(x):  dR/dz_j = 2/B [ sum_i (sum_x v_x v_x')_ij dk(z_i, z_j)/dz_j
//                                          - sum_x v_xj dk(x, z_j)/dz_j ]
Step gradient_step(const LocalKernel& kernel, double ridge, ConstMatrixView z, ConstMatrixView x) {
  Matrix<float> basis_gram = kernel_block(kernel, z, z);
  Matrix<float> by_basis = kernel_block(kernel, x, z);
  const Matrix<float> v = coefficients(factorise(basis_gram, ridge), by_basis);
  Step step{mean_objective(v, by_basis), Matrix<float>(z.rows, z.cols)};
  Matrix<float> outer(z.rows, z.rows);
  gemm_tn(v, v, outer);
  kernel.to_gradient_factors(basis_gram);
  kernel.to_gradient_factors(by_basis);
  for (size_t i = 0; i < outer.size(); ++i) outer.data()[i] *= basis_gram.data()[i];
  for (size_t i = 0; i < v.size(); ++i) by_basis.data()[i] *= v.data()[i];
  add_weighted_differences(outer, z, z, 1, step.gradient);
  add_weighted_differences(by_basis, x, z, -1, step.gradient);
  const float scale = 2.0f / static_cast<float>(x.rows);
  for (float& value : step.gradient.values()) value *= scale;
  return step;
}

double root_mean_square(std::span<const float> values) {
  double sum = 0;
  for (float value : values) sum += static_cast<double>(value) * value;
  return std::sqrt(sum / static_cast<double>(std::max<size_t>(values.size(), 1)));
}

double automatic_rate(const Matrix<float>& basis, const Matrix<float>& gradient) {
  Matrix<float> centred = basis;
  for (size_t t = 0; t < basis.cols(); ++t) {
    double mean = 0;
    for (size_t j = 0; j < basis.rows(); ++j)
      mean += basis(j, t) / static_cast<double>(basis.rows());
    for (size_t j = 0; j < basis.rows(); ++j) centred(j, t) -= static_cast<float>(mean);
  }
  const double slope = root_mean_square(gradient.values());
  return slope > 0 ? kFirstStep * root_mean_square(centred.values()) / slope : 0;
}

Matrix<float> first_basis(const KernelBasisOptions& options, ConstMatrixView sample, Rng rng,
                          const Progress& progress) {
  const bool random = options.init == BasisInit::kRandom;
  KMeansOptions kmeans;
  kmeans.words = options.dim;
  kmeans.init = random ? KMeansInit::kRandom : KMeansInit::kPlusPlus;
  kmeans.iterations = random ? 1 : kStartIterations;
  const size_t wanted = static_cast<size_t>(options.dim) * kStartVectorsPerBasisVector;
  const Matrix<float> some = select_rows(sample, rng.derive("start").sample(sample.rows, wanted));
  return fit_kmeans(kmeans, some, rng.derive("init"), progress).centres;
}

}  // namespace

void KernelBasisOptions::fields(Fields& f) {
  f("dim", dim, "number of basis vectors (D), the dimension of the map")
      .range(1, 20000)
      .paper("EMK 3.1");
  f("samples", samples, "local features that the basis is learned from")
      .range(1, 1e8)
      .paper("EMK 4");
  f("iterations", iterations, "steps of stochastic gradient descent; 0 keeps the first basis")
      .range(0, 1e6)
      .paper("EMK 3.1");
  f("rate", rate, "step size, divided by the number of the step; auto fits the data's scale")
      .range(0, 1e12)
      .paper("EMK eq 12");
  f.choice("init", init, {"k-means", "random"},
           "the first basis: k-means centres or random features");
  f("ridge", ridge,
    "added to the diagonal of the kernel matrix of the basis, as a share of its mean")
      .range(1e-12, 1);
}

KernelBasis fit_kernel_basis(const KernelBasisOptions& options, const LocalKernel& kernel,
                             ConstMatrixView sample, Rng rng, const Progress& progress) {
  KernelBasis basis{first_basis(options, sample, rng, progress), {}};
  if (!kernel.has_gradient()) return basis;
  ProgressStep step(progress, "kernel basis", static_cast<size_t>(options.iterations));
  double rate = options.rate.value_or(0);
  for (int t = 1; t <= options.iterations; ++t) {
    Rng stream = rng.derive("batch").derive(static_cast<uint64_t>(t));
    const Matrix<float> batch =
        select_rows(sample, stream.sample(sample.rows, basis.vectors.rows()));
    const Step found = gradient_step(kernel, options.ridge, basis.vectors, batch);
    if (t == 1 && !options.rate) rate = automatic_rate(basis.vectors, found.gradient);
    basis.objective_per_iteration.push_back(found.objective);
    const auto length = static_cast<float>(rate / t);
    for (size_t i = 0; i < basis.vectors.size(); ++i)
      basis.vectors.data()[i] -= length * found.gradient.data()[i];
    step.tick();
  }
  return basis;
}

double basis_objective(const LocalKernel& kernel, double ridge, ConstMatrixView basis,
                       ConstMatrixView vectors) {
  const Matrix<float> by_basis = kernel_block(kernel, vectors, basis);
  return mean_objective(
      coefficients(factorise(kernel_block(kernel, basis, basis), ridge), by_basis), by_basis);
}

Matrix<float> inverse_root(const LocalKernel& kernel, double ridge, ConstMatrixView basis) {
  const Cholesky factor = factorise(kernel_block(kernel, basis, basis), ridge);
  const auto n = static_cast<Eigen::Index>(basis.rows);
  const Dense inverse = factor.matrixL().solve(Dense::Identity(n, n));
  Matrix<float> out(basis.rows, basis.rows);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      out(static_cast<size_t>(i), static_cast<size_t>(j)) = static_cast<float>(inverse(i, j));
  return out;
}

}  // namespace muster
