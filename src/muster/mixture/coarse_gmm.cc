#include "muster/mixture/coarse_gmm.h"

#include <cmath>
#include <numbers>

#include "muster/simd/mixture_simd.h"

namespace muster {
namespace {

// Below these, products in single precision are as fast.
constexpr size_t kLeastComponents = 32, kLeastDim = 16;
// Integers per standard deviation of the sample, and per variance for squares: vectors up to 6
// deviations away from the mean in each dimension are in range.
constexpr double kPerDeviation = 2048, kPerVariance = 900;
// Sums of integers are in range up to this times the sum for a vector one deviation away in all
// dimensions.
constexpr double kRange = 8;
constexpr double kSmallestStep = 1e-12;
constexpr double kLargestSum = 2147483000.0, kLargestInt16 = 32767;
// Standard deviation of the logarithm of a component's density, of the component with the largest.
constexpr double kMostError = 0.5;
// In nats below the largest: shares below 0.001 keep their coarse value.
constexpr float kReach = 7;
// More evaluations than this part of all components' cost more than the product.
constexpr size_t kMostEvaluated = 4;

// Of the whole mixture, relative to its origin.
std::vector<double> deviations(const Gmm& mixture) {
  std::vector<double> out(mixture.dim());
  for (size_t t = 0; t < out.size(); ++t) {
    double sum = 0;
    for (size_t m = 0; m < mixture.num_components(); ++m) {
      const double off = mixture.means()(m, t) - mixture.origin()[t];
      sum += mixture.weights()[m] * (mixture.covariances()(m, t) + off * off);
    }
    out[t] = std::sqrt(sum);
  }
  return out;
}

// Room for one block, kept between calls on a thread.
struct Workspace {
  AlignedVector<int16_t> rounded;
  std::vector<uint8_t> fits;
};

}  // namespace

CoarseGmm::CoarseGmm(const Gmm& mixture) {
  const size_t k = mixture.num_components(), d = mixture.dim();
  const std::vector<double> spread = deviations(mixture);
  scales_.resize(2 * d);
  for (size_t t = 0; t < d; ++t) {
    scales_[t] = static_cast<float>(kPerDeviation / spread[t]);
    scales_[d + t] = static_cast<float>(kPerVariance / (spread[t] * spread[t]));
  }
  exact_ = {Matrix<float>(k, d), Matrix<float>(k, d), std::vector<float>(k)};
  Matrix<double> slopes(k, 2 * d);  // what one unit of each rounded column adds to each component
  std::vector<float> bias;
  for (size_t m = 0; m < k; ++m) {
    double constant = mixture.log_weight(m), at_origin = 0;
    for (size_t t = 0; t < d; ++t) {
      const double variance = mixture.covariances()(m, t);
      const double mean = mixture.means()(m, t) - mixture.origin()[t];
      constant -= 0.5 * std::log(2 * std::numbers::pi * variance);
      at_origin -= 0.5 * mean * mean / variance;
      exact_.means(m, t) = static_cast<float>(mean);
      exact_.scales(m, t) = static_cast<float>(1 / std::sqrt(variance));
      slopes(m, t) = mean / variance / scales_[t];
      slopes(m, d + t) = -0.5 / variance / scales_[d + t];
    }
    exact_.constants[m] = static_cast<float>(constant);
    bias.push_back(static_cast<float>(constant + at_origin));
  }
  round_slopes(slopes);
  bias.resize(padded());
  bias_ = std::move(bias);
  zeros_.resize(k);
}

void CoarseGmm::round_slopes(const Matrix<double>& slopes) {
  const size_t k = slopes.rows(), columns = slopes.cols();
  const auto units = [&](size_t t) { return t < columns / 2 ? kPerDeviation : kPerVariance; };
  Matrix<int16_t> rounded(k, columns);
  weights_.resize(columns);
  for (size_t m = 0; m < k; ++m) {
    double largest = 0, one_deviation_away = 0, variance = 0;
    for (size_t t = 0; t < columns; ++t) {
      const double slope = std::abs(slopes(m, t));
      largest = std::max(largest, slope);
      one_deviation_away += units(t) * slope;
      variance += slope * slope;
    }
    const double step = std::max(
        {kRange * one_deviation_away / kLargestSum, largest / kLargestInt16, kSmallestStep});
    for (size_t t = 0; t < columns; ++t) {
      rounded(m, t) = static_cast<int16_t>(std::lrint(slopes(m, t) / step));
      weights_[t] = std::max(weights_[t], static_cast<float>(std::abs(rounded(m, t))));
      variance += step * step * units(t) * units(t);
    }
    steps_.push_back(static_cast<float>(step));
    errors_.push_back(std::sqrt(variance / 12));
  }
  factors_ = Int16Factors(rounded.view());
  steps_.resize(padded());
}

std::optional<CoarseGmm> CoarseGmm::of(const Gmm& mixture) {
  if (mixture.kind() != CovarianceKind::kDiagonal || mixture.num_components() < kLeastComponents ||
      mixture.dim() < kLeastDim)
    return {};
  CoarseGmm coarse(mixture);
  if (!(std::ranges::max(coarse.errors_) <= kMostError)) return {};
  return coarse;
}

bool CoarseGmm::posteriors(ConstMatrixView block, MatrixView<float> responsibilities,
                           std::span<float> log_densities) const {
  thread_local Workspace space;
  const size_t k = exact_.constants.size();
  if (space.rounded.size() < block.rows * block.cols) space.rounded.resize(block.rows * block.cols);
  if (space.fits.size() < block.rows) space.fits.resize(block.rows);
  const MatrixView<int16_t> rounded(space.rounded.data(), block.rows, block.cols);
  const std::span<uint8_t> fits = std::span(space.fits).first(block.rows);
  round_to_int16(block, scales_, weights_, static_cast<float>(kLargestSum), rounded, fits);
  int16_products(rounded, factors_, steps_, bias_, responsibilities);
  const size_t most = block.rows * k / kMostEvaluated;
  const MatrixView<float> components(responsibilities.data, block.rows, k, responsibilities.stride);
  if (evaluate_largest(exact_, block, kReach, fits, most, components) > most) return false;
  softmax_rows(components, zeros_, log_densities);
  return true;
}

}  // namespace muster
