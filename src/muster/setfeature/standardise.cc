#include "muster/setfeature/standardise.h"

#include <cmath>

namespace muster {
namespace {

// A variance below this share of the mean square is that of rounding.
constexpr double kConstant = 1e-10;

}  // namespace

Standardiser::Standardiser(ConstMatrixView training)
    : mean_(training.cols), factor_(training.cols, 1.0f) {
  if (training.rows == 0) return;
  const auto n = static_cast<double>(training.rows);
  std::vector<double> mean(training.cols), scatter(training.cols);
  for (size_t i = 0; i < training.rows; ++i)
    for (size_t t = 0; t < training.cols; ++t) mean[t] += training(i, t) / n;
  for (size_t i = 0; i < training.rows; ++i)
    for (size_t t = 0; t < training.cols; ++t)
      scatter[t] += (training(i, t) - mean[t]) * (training(i, t) - mean[t]);
  for (size_t t = 0; t < training.cols; ++t) {
    const double variance = scatter[t] / n;
    mean_[t] = static_cast<float>(mean[t]);
    factor_[t] = variance > kConstant * (variance + mean[t] * mean[t])
                     ? static_cast<float>(1 / std::sqrt(variance))
                     : 0;
    if (!std::isfinite(factor_[t])) factor_[t] = 0;
  }
}

Standardiser Standardiser::load(const TensorReader& in) {
  Standardiser out;
  out.mean_ = in.values<float>("mean");
  out.factor_ = in.values<float>("factor");
  in.require(out.mean_.size() == out.factor_.size(), "means and deviations of different dimension");
  return out;
}

void Standardiser::apply(std::span<float> vector) const {
  MUSTER_CHECK(vector.size() == dim());
  for (size_t t = 0; t < vector.size(); ++t) vector[t] = (vector[t] - mean_[t]) * factor_[t];
}

void Standardiser::save(const TensorWriter& out) const {
  out.put("mean", mean_);
  out.put("factor", factor_);
}

}  // namespace muster
