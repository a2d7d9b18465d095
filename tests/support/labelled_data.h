// Small labelled data sets whose answer is known by construction.
#pragma once

#include <cmath>

#include "muster/core/labels.h"
#include "muster/core/matrix.h"
#include "muster/core/rng.h"

namespace muster::testing_data {

struct Data {
  Matrix<float> vectors;
  Labels labels;
};

// Gaussian blobs around random centres, `spread` wide; items go round the classes.
inline Data blobs(size_t n, size_t dim, int classes, double spread, uint64_t seed) {
  Rng rng(seed);
  Matrix<float> centres(static_cast<size_t>(classes), dim);
  for (float& value : centres.values()) value = static_cast<float>(rng.normal());
  Data out{Matrix<float>(n, dim), {}};
  for (int c = 0; c < classes; ++c) out.labels.class_names.push_back("class" + std::to_string(c));
  for (size_t i = 0; i < n; ++i) {
    const size_t c = i % static_cast<size_t>(classes);
    out.labels.of_item.push_back({static_cast<int>(c)});
    for (size_t d = 0; d < dim; ++d)
      out.vectors(i, d) = centres(c, d) + static_cast<float>(spread * rng.normal());
  }
  return out;
}

// Every class present or not independently, each shifting the vector by its centre.
inline Data multi_label(size_t n, size_t dim, int classes, double spread, uint64_t seed) {
  Data out = blobs(n, dim, classes, spread, seed);
  Rng rng = Rng(seed).derive("labels");
  Matrix<float> centres(static_cast<size_t>(classes), dim);
  for (float& value : centres.values()) value = static_cast<float>(2 * rng.normal());
  for (size_t i = 0; i < n; ++i) {
    out.labels.of_item[i].clear();
    for (size_t d = 0; d < dim; ++d) out.vectors(i, d) = static_cast<float>(spread * rng.normal());
    for (int c = 0; c < classes; ++c) {
      if (rng.uniform() > 0.3) continue;
      out.labels.of_item[i].push_back(c);
      for (size_t d = 0; d < dim; ++d) out.vectors(i, d) += centres(static_cast<size_t>(c), d);
    }
  }
  return out;
}

// factor exp(-gamma |x - y|^2).
inline Matrix<double> rbf_gram(const Data& data, double gamma, double factor = 1) {
  const size_t n = data.vectors.rows();
  Matrix<double> out(n, n);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      double squared = 0;
      for (size_t d = 0; d < data.vectors.cols(); ++d)
        squared += std::pow(static_cast<double>(data.vectors(i, d)) - data.vectors(j, d), 2);
      out(i, j) = factor * std::exp(-gamma * squared);
    }
  return out;
}

inline double accuracy(MatrixView<const double> scores, const Labels& labels) {
  size_t correct = 0;
  for (size_t i = 0; i < scores.rows; ++i) {
    const auto row = scores.row(i);
    correct += std::ranges::max_element(row) - row.begin() == labels.first(i) ? 1 : 0;
  }
  return static_cast<double>(correct) / static_cast<double>(scores.rows);
}

}  // namespace muster::testing_data
