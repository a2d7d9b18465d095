#include "muster/mixture/gmm.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "muster/math/gemm.h"
#include "muster/mixture/coarse_gmm.h"
#include "muster/simd/elementwise.h"
#include "muster/simd/mixture_simd.h"
#include "muster/simd/shares_simd.h"

namespace muster {
namespace {

// A component that has lost its weight keeps a finite logarithm.
constexpr double kLeastWeight = 1e-30;
// Responsibilities below this add nothing to a covariance that single precision would keep.
constexpr float kLeastShare = 1e-7f;
// From these sizes on it pays to sum only over vectors in which a component has a share that
// counts, unless more than one in kMostShared does.
constexpr size_t kSparseComponents = 32, kSparseDim = 16, kMostShared = 2;
// Full covariances are projected for this many columns at a time: the products stay in cache.
constexpr size_t kProjectedColumns = 512;

// Responsibilities of a block of this many rows stay in cache between the two products. Full
// covariances sum over few rows per component, so their blocks are longer.
size_t block_rows(size_t num_components, CovarianceKind kind) {
  if (kind == CovarianceKind::kFull) return 2048;
  return std::clamp<size_t>(131072 / num_components, 64, 1024);
}

// Room for one block, kept between calls on a thread.
struct Workspace {
  AlignedVector<float> block, responsibilities, log_densities, totals, other;

  static MatrixView<float> view(AlignedVector<float>& buffer, size_t rows, size_t cols) {
    if (buffer.size() < rows * cols) buffer.resize(rows * cols);
    return {buffer.data(), rows, cols};
  }
};

Workspace& workspace() {
  thread_local Workspace space;
  return space;
}

std::vector<float> weighted_mean(const std::vector<double>& weights, const Matrix<double>& means) {
  std::vector<double> sum(means.cols());
  for (size_t m = 0; m < weights.size(); ++m)
    for (size_t t = 0; t < sum.size(); ++t) sum[t] += weights[m] * means(m, t);
  return {sum.begin(), sum.end()};
}

// products = responsibilities' block, over those responsibilities that count; false if these are
// too many for this to pay. `totals`, the sums of responsibilities, are overwritten.
bool multiply_sparse(ConstMatrixView block, ConstMatrixView responsibilities,
                     std::span<float> totals, MatrixView<float> products) {
  if (products.rows < kSparseComponents || products.cols < 2 * kSparseDim) return false;
  const float part =
      static_cast<float>(GmmStatistics::kNegligible) / static_cast<float>(block.rows);
  for (float& total : totals) total = std::max(total * part, std::numeric_limits<float>::min());
  const size_t most = block.rows * products.rows / kMostShared;
  return add_large_shares(responsibilities, totals, block, most, products) <= most;
}

}  // namespace

Gmm::Gmm(std::vector<double> weights, Matrix<double> means, Matrix<double> covariances,
         CovarianceKind kind)
    : kind_(kind),
      weights_(std::move(weights)),
      means_(std::move(means)),
      covariances_(std::move(covariances)),
      origin_(weighted_mean(weights_, means_)) {
  const size_t k = num_components(), d = dim();
  MUSTER_CHECK(k > 0 && weights_.size() == k && covariances_.cols() == d);
  MUSTER_CHECK(covariances_.rows() == (kind == CovarianceKind::kFull ? k * d : k));
  const double log_two_pi = static_cast<double>(d) * std::log(2 * std::numbers::pi);
  const bool full = kind == CovarianceKind::kFull;
  factors_ = Matrix<float>(full ? k * d : k, full ? d : 2 * d);
  constants_.resize(k);
  if (full) projected_means_.resize(k * d);
  for (size_t m = 0; m < k; ++m) {
    double log_det = 0,
           distance = 0;  // the part of the distance to the mean that x does not change
    if (full) {
      const Whitening whitening = whiten(covariance(m));
      log_det = whitening.log_det;
      for (size_t i = 0; i < d; ++i) {
        double projected = 0;
        for (size_t t = 0; t <= i; ++t) {
          factors_(m * d + i, t) = static_cast<float>(whitening.inverse_factor(i, t));
          projected += whitening.inverse_factor(i, t) * (means_(m, t) - origin_[t]);
        }
        projected_means_[m * d + i] = static_cast<float>(projected);
      }
    } else {
      for (size_t t = 0; t < d; ++t) {
        const double variance = covariances_(m, t), mean = means_(m, t) - origin_[t];
        log_det += std::log(variance);
        distance += mean * mean / variance;
        factors_(m, t) = static_cast<float>(mean / variance);
        factors_(m, d + t) = static_cast<float>(-0.5 / variance);
      }
    }
    constants_[m] = static_cast<float>(log_weight(m) - 0.5 * (log_two_pi + log_det + distance));
  }
}

double Gmm::log_weight(size_t component) const {
  return std::log(std::max(weights_[component], kLeastWeight));
}

MatrixView<const double> Gmm::covariance(size_t component) const {
  MUSTER_CHECK(kind_ == CovarianceKind::kFull);
  return covariances_.view().slice_rows(component * dim(), dim());
}

void Gmm::posteriors_of_block(ConstMatrixView block, MatrixView<float> responsibilities,
                              std::span<float> log_densities) const {
  const size_t d = dim(), k = num_components();
  if (kind_ == CovarianceKind::kDiagonal) {
    gemm_nt(block, factors_, responsibilities);
  } else {
    const ConstMatrixView centred(block.data, block.rows, d, block.stride);
    const size_t at_once = std::max<size_t>(1, kProjectedColumns / d), rows_at_once = 256;
    for (size_t i = 0; i < block.rows; i += rows_at_once)
      for (size_t m = 0; m < k; m += at_once) {
        const size_t rows = std::min(rows_at_once, block.rows - i),
                     count = std::min(at_once, k - m);
        const MatrixView<float> projected = Workspace::view(workspace().other, rows, count * d);
        gemm_nt(centred.slice_rows(i, rows), factors_.view().slice_rows(m * d, count * d),
                projected);
        half_squared_distances(
            projected, std::span(projected_means_).subspan(m * d, count * d),
            MatrixView<float>(&responsibilities(i, m), rows, count, responsibilities.stride));
      }
  }
  softmax_rows(responsibilities, constants_, log_densities);
}

void Gmm::posteriors(ConstMatrixView vectors, MatrixView<float> responsibilities,
                     std::span<float> log_densities) const {
  MUSTER_CHECK(responsibilities.rows == vectors.rows && responsibilities.cols == num_components());
  MUSTER_CHECK(log_densities.empty() || log_densities.size() == vectors.rows);
  const size_t at_once = block_rows(num_components(), kind_);
  for (size_t begin = 0; begin < vectors.rows; begin += at_once) {
    const size_t rows = std::min(at_once, vectors.rows - begin);
    const MatrixView<float> block = Workspace::view(workspace().block, rows, 2 * dim());
    centre_and_square(vectors.slice_rows(begin, rows), origin_, block);
    const MatrixView<float> sums = Workspace::view(workspace().log_densities, 1, rows);
    posteriors_of_block(block, responsibilities.slice_rows(begin, rows),
                        log_densities.empty() ? sums.row(0) : log_densities.subspan(begin, rows));
  }
}

void Gmm::save(const TensorWriter& out) const {
  out.put("weights", weights_);
  out.put("means", means_);
  out.put("covariances", covariances_);
}

Gmm Gmm::load(const TensorReader& in) {
  std::vector<double> weights = in.values<double>("weights");
  Matrix<double> means = in.matrix<double>("means"), covariances = in.matrix<double>("covariances");
  const size_t k = weights.size(), d = means.cols();
  in.require(k > 0 && d > 0 && means.rows() == k && covariances.cols() == d,
             "a mixture without components");
  const bool full = covariances.rows() == k * d && d > 1;
  in.require(full || covariances.rows() == k, "covariances of another size than the means");
  in.require(
      std::ranges::all_of(weights, [](double weight) { return weight >= 0 && weight < 1.001; }),
      "a weight that is not a share");
  for (size_t m = 0; m < k; ++m)
    if (full)
      in.require(is_positive_definite(covariances.view().slice_rows(m * d, d)),
                 "a covariance that is not positive definite");
    else
      in.require(std::ranges::min(covariances.row(m)) > 0, "a variance that is not positive");
  return Gmm(std::move(weights), std::move(means), std::move(covariances),
             full ? CovarianceKind::kFull : CovarianceKind::kDiagonal);
}

GmmStatistics::GmmStatistics(size_t num_components, size_t dim, CovarianceKind kind)
    : counts(num_components),
      sums(num_components, dim),
      squares(kind == CovarianceKind::kFull ? num_components * dim : num_components, dim),
      kind_(kind) {}

void GmmStatistics::add(const Gmm& mixture, ConstMatrixView vectors, const CoarseGmm* coarse) {
  MUSTER_CHECK(mixture.num_components() == counts.size() && mixture.dim() == sums.cols() &&
               mixture.kind() == kind_);
  const size_t at_once = block_rows(counts.size(), kind_);
  for (size_t begin = 0; begin < vectors.rows; begin += at_once) {
    const size_t rows = std::min(at_once, vectors.rows - begin);
    Workspace& space = workspace();
    const MatrixView<float> block = Workspace::view(space.block, rows, 2 * sums.cols());
    const MatrixView<float> log_densities = Workspace::view(space.log_densities, 1, rows);
    centre_and_square(vectors.slice_rows(begin, rows), mixture.origin(), block);
    const size_t stride = coarse ? coarse->padded() : counts.size();
    const MatrixView<float> padded = Workspace::view(space.responsibilities, rows, stride);
    const MatrixView<float> responsibilities(padded.data, rows, counts.size(), stride);
    if (!coarse || !coarse->posteriors(block, padded, log_densities.row(0))) {
      coarse = nullptr;  // the vectors that follow are likely to be shared by as many components
      mixture.posteriors_of_block(block, responsibilities, log_densities.row(0));
    }
    for (float value : log_densities.row(0)) log_likelihood += value;
    add_block(block, responsibilities);
  }
}

void GmmStatistics::add_assigned(std::span<const float> origin, ConstMatrixView vectors,
                                 std::span<const uint32_t> component_of) {
  const size_t at_once = block_rows(counts.size(), kind_);
  for (size_t begin = 0; begin < vectors.rows; begin += at_once) {
    const size_t rows = std::min(at_once, vectors.rows - begin);
    const MatrixView<float> block = Workspace::view(workspace().block, rows, 2 * sums.cols());
    const MatrixView<float> responsibilities =
        Workspace::view(workspace().responsibilities, rows, counts.size());
    centre_and_square(vectors.slice_rows(begin, rows), origin, block);
    for (size_t i = 0; i < rows; ++i) {
      std::ranges::fill(responsibilities.row(i), 0.0f);
      responsibilities(i, component_of[begin + i]) = 1;
    }
    add_block(block, responsibilities);
  }
}

void GmmStatistics::add(const GmmStatistics& other) {
  MUSTER_CHECK(other.squares.size() == squares.size());
  num_vectors += other.num_vectors;
  log_likelihood += other.log_likelihood;
  for (size_t m = 0; m < counts.size(); ++m) counts[m] += other.counts[m];
  for (size_t i = 0; i < sums.size(); ++i) sums.data()[i] += other.sums.data()[i];
  for (size_t i = 0; i < squares.size(); ++i) squares.data()[i] += other.squares.data()[i];
}

void GmmStatistics::add_block(ConstMatrixView block, ConstMatrixView responsibilities) {
  num_vectors += static_cast<double>(block.rows);
  const std::span<float> totals = Workspace::view(workspace().totals, 1, counts.size()).row(0);
  std::ranges::fill(totals, 0.0f);
  add_rows(responsibilities, totals);
  for (size_t m = 0; m < counts.size(); ++m) counts[m] += totals[m];
  if (kind_ == CovarianceKind::kDiagonal)
    add_diagonal(block, responsibilities, totals);
  else
    add_full(block, responsibilities);
}

void GmmStatistics::add_diagonal(ConstMatrixView block, ConstMatrixView responsibilities,
                                 std::span<float> totals) {
  const size_t d = sums.cols();
  const MatrixView<float> products = Workspace::view(workspace().other, counts.size(), 2 * d);
  if (!multiply_sparse(block, responsibilities, totals, products))
    gemm_tn(responsibilities, block, products);
  for (size_t m = 0; m < counts.size(); ++m) {
    const float* product = products.row(m).data();
    double *sum = sums.row(m).data(), *square = squares.row(m).data();
    for (size_t t = 0; t < d; ++t) sum[t] += product[t];
    for (size_t t = 0; t < d; ++t) square[t] += product[d + t];
  }
}

void GmmStatistics::add_full(ConstMatrixView block, ConstMatrixView responsibilities) {
  const size_t d = sums.cols();
  const ConstMatrixView centred(block.data, block.rows, d, block.stride);
  {
    const MatrixView<float> products = Workspace::view(workspace().other, counts.size(), d);
    gemm_tn(responsibilities, centred, products);
    for (size_t m = 0; m < counts.size(); ++m)
      for (size_t t = 0; t < d; ++t) sums(m, t) += products(m, t);
  }
  // Few vectors share a component: only those are multiplied.
  const MatrixView<float> scaled = Workspace::view(workspace().other, block.rows + d, d);
  for (size_t m = 0; m < counts.size(); ++m) {
    size_t taken = 0;
    for (size_t i = 0; i < block.rows; ++i) {
      const float share = responsibilities(i, m);
      if (share < kLeastShare) continue;
      const float root = std::sqrt(share);
      for (size_t t = 0; t < d; ++t) scaled(taken, t) = root * centred(i, t);
      ++taken;
    }
    if (taken == 0) continue;
    const MatrixView<float> product = scaled.slice_rows(block.rows, d);
    gemm_tn(scaled.slice_rows(0, taken), scaled.slice_rows(0, taken), product);
    for (size_t i = 0; i < d; ++i)
      for (size_t t = 0; t < d; ++t) squares(m * d + i, t) += product(i, t);
  }
}

}  // namespace muster
