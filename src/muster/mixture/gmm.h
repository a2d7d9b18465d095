// A mixture of Gaussians, p(x) = sum_m w_m N(x | mu_m, S_m), with diagonal or full covariances (GEN
// 3, UGM 2), and what learning or adapting one needs of a block of vectors: responsibilities and
// sums.
//
// Diagonal: log w_m N(x | m) = c_m + x . b_m + x^2 . a_m, one matrix product over [x, x^2]. Full:
// -1/2 |L_m^-1 (x - mu_m)|^2, one product with the stacked L_m^-1. Vectors are taken relative to
// the mixture's mean, without which the products would cancel in single precision. Cost per vector:
// O(k d) diagonal, O(k d^2) full.
#pragma once

#include <span>
#include <vector>

#include "muster/core/tensors.h"
#include "muster/math/covariance.h"

namespace muster {

class CoarseGmm;

// Immutable and shareable between threads.
class Gmm {
 public:
  // k weights that add up to 1; means k x d; covariances: variances k x d (diagonal), or k d x d
  // with those of component m in rows m d to (m + 1) d - 1 (full). Requires positive definite
  // covariances.
  Gmm(std::vector<double> weights, Matrix<double> means, Matrix<double> covariances,
      CovarianceKind kind);

  CovarianceKind kind() const { return kind_; }
  size_t num_components() const { return means_.rows(); }
  size_t dim() const { return means_.cols(); }
  const std::vector<double>& weights() const { return weights_; }
  const Matrix<double>& means() const { return means_; }
  const Matrix<double>& covariances() const { return covariances_; }
  MatrixView<const double> covariance(size_t component) const;  // full only
  // Finite also for a component that has lost its weight.
  double log_weight(size_t component) const;
  // The mean of the mixture, rounded: what vectors and statistics are taken relative to.
  const std::vector<float>& origin() const { return origin_; }

  // responsibilities(i, m) = P(m | x_i); a row adds up to 1. log_densities, if not empty, gets log
  // p(x_i). On the calling thread.
  void posteriors(ConstMatrixView vectors, MatrixView<float> responsibilities,
                  std::span<float> log_densities = {}) const;

  void save(const TensorWriter& out) const;
  static Gmm load(const TensorReader& in);

 private:
  friend class GmmStatistics;
  // `block` as centre_and_square gives it.
  void posteriors_of_block(ConstMatrixView block, MatrixView<float> responsibilities,
                           std::span<float> log_densities) const;

  CovarianceKind kind_;
  std::vector<double> weights_;
  Matrix<double> means_;
  Matrix<double> covariances_;
  std::vector<float> origin_;
  // log w_m - 1/2 log |2 pi S_m|, and for diagonal covariances what x does not change.
  std::vector<float> constants_;
  Matrix<float> factors_;  // diagonal: k x 2 d, [b_m, a_m]; full: k d x d, stacked L_m^-1
  std::vector<float> projected_means_;  // full: L_m^-1 (mu_m - origin)
};

// Sums over vectors x of their responsibilities r_m, relative to the origin o of the mixture that
// gave them:
//   counts_m  = sum r_m
//   sums_m    = sum r_m (x - o)
//   squares_m = sum r_m (x - o)^2, or sum r_m (x - o) (x - o)'
// in double precision across blocks. All that EM, MAP adaptation and Fisher vectors need.
class GmmStatistics {
 public:
  GmmStatistics(size_t num_components, size_t dim, CovarianceKind kind);

  // Adds the vectors with the responsibilities that `mixture` gives them. On the calling thread, in
  // blocks: any number of vectors. `coarse`, that of the mixture, makes it faster. Of each
  // component and block, responsibilities that add up to less than kNegligible of all may be passed
  // over.
  void add(const Gmm& mixture, ConstMatrixView vectors, const CoarseGmm* coarse = nullptr);
  static constexpr double kNegligible = 2e-4;
  // Adds the vectors, each counted for the component that is named for it, relative to `origin`.
  void add_assigned(std::span<const float> origin, ConstMatrixView vectors,
                    std::span<const uint32_t> component_of);
  void add(const GmmStatistics& other);

  double num_vectors = 0;
  double log_likelihood = 0;
  std::vector<double> counts;  // k
  Matrix<double> sums;         // k x d
  Matrix<double> squares;      // k x d, or k d x d

 private:
  void add_block(ConstMatrixView block, ConstMatrixView responsibilities);
  void add_diagonal(ConstMatrixView block, ConstMatrixView responsibilities,
                    std::span<float> totals);
  void add_full(ConstMatrixView block, ConstMatrixView responsibilities);

  CovarianceKind kind_;
};

}  // namespace muster
