#include "muster/classify/centred_gram.h"

#include <cmath>

#include "muster/core/parallel.h"
#include "muster/math/gemm.h"

namespace muster {

void check_gram(const char* stage, MatrixView<const double> gram, const Labels& labels) {
  MUSTER_CHECK(gram.rows == gram.cols && gram.rows == labels.size());
  for (size_t i = 0; i < gram.rows; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      const double value = gram(i, j), mirrored = gram(j, i);
      if (!std::isfinite(value) || !std::isfinite(mirrored))
        throw data_error(
            "{}: the kernel value of training items {} and {} is not a finite number; look "
            "for NaN or infinite values in these items and leave them out",
            stage, j, i);
      MUSTER_CHECK(std::abs(value - mirrored) <=
                   1e-6 * (std::abs(value) + std::abs(mirrored)) + 1e-12);
    }
  }
}

CentredGram::CentredGram(MatrixView<const double> gram)
    : gram_(gram), row_means_(gram.rows), rounded_(gram.rows, gram.rows) {
  const auto n = static_cast<double>(gram.rows);
  for (size_t i = 0; i < gram.rows; ++i) {
    for (const double value : gram.row(i)) row_means_[i] += value / n;
    mean_ += row_means_[i] / n;
  }
  double diagonal = 0;
  for (size_t i = 0; i < gram.rows; ++i) diagonal += (gram(i, i) - 2 * row_means_[i] + mean_) / n;
  factor_ = diagonal > 0 ? 1 / diagonal : 1;
  parallel_for(gram.rows, 16, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      for (size_t j = 0; j < gram.rows; ++j)
        rounded_(i, j) = static_cast<float>(factor_ * (gram(std::min(i, j), std::max(i, j)) -
                                                       (row_means_[i] + row_means_[j]) + mean_) +
                                            1);
  });
}

void CentredGram::product(MatrixView<const double> v, MatrixView<double> out) const {
  gemm_nt(v, gram_, out);
  for (size_t p = 0; p < v.rows; ++p) {
    double sum = 0, weighted = 0;
    for (size_t i = 0; i < v.cols; ++i) {
      sum += v(p, i);
      weighted += v(p, i) * row_means_[i];
    }
    for (size_t i = 0; i < v.cols; ++i)
      out(p, i) = factor_ * (out(p, i) - weighted - sum * (row_means_[i] - mean_)) + sum;
  }
}

// sum_i b_i (k(x, i) - mean_j k(x, j) - m_i + m) has coefficients b_i - mean b, and an offset.
SvmDecision CentredGram::decision(std::span<const double> b) const {
  const size_t n = size();
  MUSTER_CHECK(b.size() == n);
  SvmDecision out;
  out.coefficients.resize(n);
  double total = 0;
  for (size_t i = 0; i < n; ++i) {
    out.offset += b[i];  // the bias: 1 in every kernel value
    out.coefficients[i] = factor_ * b[i];
    total += out.coefficients[i];
  }
  for (size_t i = 0; i < n; ++i) out.offset -= out.coefficients[i] * (row_means_[i] - mean_);
  for (double& coefficient : out.coefficients) coefficient -= total / static_cast<double>(n);
  return out;
}

}  // namespace muster
