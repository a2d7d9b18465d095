// Set features and their vectors, for tests.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "muster/localkernel/local_kernel.h"
#include "muster/setfeature/mean.h"
#include "support/random_data.h"

namespace muster::oracle {

inline std::vector<float> encode(const SetFeature& feature, const VectorSet& set) {
  std::vector<float> out(feature.dim());
  feature.encode(set, out);
  return out;
}

inline Sample unlabelled(Matrix<float> vectors) { return Sample{std::move(vectors), {}, 0}; }

// Normal vectors in `clusters` clusters, 4 apart along the first dimension; the cluster is the
// label.
inline Sample clustered_sample(size_t n, size_t d, size_t clusters) {
  Sample sample{normal_matrix(n, d, Rng(1)), {}, static_cast<int>(clusters)};
  for (size_t i = 0; i < n; ++i) {
    sample.labels.push_back(static_cast<int>(i % clusters));
    sample.vectors(i, 0) += 4 * static_cast<float>(i % clusters);
  }
  return sample;
}

// The mean of the set's vectors as its feature.
inline SetFeature mean_feature(size_t dim, const PoolingOptions& pooling = {}) {
  return fit_mean({pooling}, Sample{Matrix<float>(1, dim), {0}, 1}, Rng(1), {});
}

// The vocabulary of a feature that has one.
inline Matrix<float> words_of(const SetFeature& feature) {
  TensorMap saved;
  feature.save(TensorWriter(saved));
  return TensorReader(saved).matrix<float>("words");
}

inline double dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (size_t t = 0; t < a.size(); ++t) sum += static_cast<double>(a[t]) * b[t];
  return sum;
}

inline VectorSet one_vector(std::span<const float> values) {
  VectorSet set{Matrix<float>(1, values.size()), {}};
  std::ranges::copy(values, set.vectors.row(0).begin());
  return set;
}

// Mean squared error of a feature map's dot products over all pairs of vectors.
inline double map_error(const SetFeature& feature, const LocalKernel& kernel,
                        const Matrix<float>& vectors) {
  std::vector<std::vector<float>> maps;
  for (size_t i = 0; i < vectors.rows(); ++i)
    maps.push_back(encode(feature, one_vector(vectors.row(i))));
  double error = 0;
  for (size_t i = 0; i < maps.size(); ++i)
    for (size_t j = 0; j < maps.size(); ++j)
      error += std::pow(dot(maps[i], maps[j]) - kernel.value(vectors.row(i), vectors.row(j)), 2);
  return error / static_cast<double>(maps.size() * maps.size());
}

}  // namespace muster::oracle
