// Sets and their Gaussians, for tests of kernels between the densities of sets.
#pragma once

#include "muster/mixture/gmm_fit.h"
#include "oracle/gmm.h"
#include "support/set_kernels.h"

namespace muster::oracle {

// In pairs of opposite vectors, so that its mean is exactly zero.
inline Sample centred_sample(size_t d) {
  Sample sample{normal_matrix(500, d, Rng(1)), std::vector<int>(500, -1), 0};
  for (size_t i = 0; i < 250; ++i)
    for (size_t t = 0; t < d; ++t) sample.vectors(250 + i, t) = -sample.vectors(i, t);
  return sample;
}

// Sets that differ in place, spread and size.
inline std::vector<VectorSet> sets_of(size_t d, size_t count = 4) {
  std::vector<VectorSet> sets;
  for (size_t i = 0; i < count; ++i) {
    sets.push_back(normal_set(3 + 20 * i % 130, d, Rng(10 + i)));
    for (float& value : sets.back().vectors.values())
      value = value * (0.5f + 0.25f * static_cast<float>(i % 7)) + 0.3f * static_cast<float>(i % 5);
  }
  return sets;
}

// GEN eqs 11, 12 of one Gaussian.
inline Gaussian map_gaussian(const Matrix<float>& data, const Sample& sample, double w_mean,
                             double w_cov, bool diagonal) {
  const Moments moments = sample_moments(sample.vectors);
  const auto d = static_cast<Eigen::Index>(moments.mean.size());
  const Gaussian prior{Eigen::Map<const Eigen::VectorXd>(moments.mean.data(), d),
                       Eigen::Map<const Eigen::MatrixXd>(moments.covariance.data(), d, d)};
  return map_em_step({{1.0}, {prior}}, data, prior, 0, w_mean, w_cov, diagonal).parts[0];
}

// Values of few binary digits: sums over a set are exact in single precision.
inline std::vector<VectorSet> rounded_sets_of(size_t d, size_t count) {
  std::vector<VectorSet> sets = sets_of(d, count);
  for (VectorSet& set : sets)
    for (float& value : set.vectors.values()) value = std::round(value * 16) / 16;
  return sets;
}

// From nearly one point to far apart.
inline std::vector<std::vector<VectorSet>> sets_of_all_scales(size_t d, size_t count) {
  std::vector<std::vector<VectorSet>> out;
  for (const float scale : {1e-3f, 1.0f, 1e3f}) {
    out.push_back(sets_of(d, count));
    for (VectorSet& set : out.back())
      for (float& value : set.vectors.values()) value *= scale;
  }
  return out;
}

// With the weights that are the default of the kernels.
inline std::vector<Gaussian> map_gaussians(const std::vector<VectorSet>& sets, size_t d,
                                           CovarianceKind kind) {
  std::vector<Gaussian> out;
  for (const VectorSet& set : sets)
    out.push_back(
        map_gaussian(set.vectors, centred_sample(d), 0.1, 10, kind == CovarianceKind::kDiagonal));
  return out;
}

// Fewer vectors than dimensions, equal vectors, one vector, none.
inline std::vector<VectorSet> degenerate_sets(size_t d) {
  std::vector<VectorSet> sets;
  for (const size_t size : {0u, 1u, 7u, 50u}) sets.push_back(normal_set(size, d, Rng(1 + size)));
  VectorSet equal = normal_set(20, d, Rng(5));
  for (size_t i = 1; i < equal.size(); ++i)
    std::ranges::copy(equal.vectors.row(0), equal.vectors.row(i).begin());
  sets.push_back(std::move(equal));
  return sets;
}

inline constexpr CovarianceKind kCovarianceKinds[] = {CovarianceKind::kDiagonal,
                                                      CovarianceKind::kFull};

}  // namespace muster::oracle
