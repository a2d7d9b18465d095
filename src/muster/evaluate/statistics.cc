#include "muster/evaluate/statistics.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "muster/core/error.h"

namespace muster {
namespace {

// P(|T| <= t), by the finite sums for whole degrees of freedom (Abramowitz and Stegun 26.7.3-4).
double student_within(double t, int degrees) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees)));
  const double cosine = std::cos(angle), sine = std::sin(angle);
  const bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1, sum = 0;
  for (int j = odd ? 1 : 0; j <= degrees - 2; j += 2) {
    sum += term;
    term *= cosine * cosine * (j + 1) / (j + 2);
  }
  return odd ? 2 / std::numbers::pi * (angle + sine * sum) : sine * sum;
}

}  // namespace

double student_t_975(int degrees) {
  MUSTER_CHECK(degrees >= 1);
  double low = 0, high = 20;
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    (student_within(middle, degrees) < 0.95 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

Spread spread_of(std::span<const double> values) {
  if (values.empty()) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan, nan, nan};
  }
  const auto n = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / n;
  for (const double value : values) squares += (value - mean) * (value - mean);
  if (values.size() == 1) return {mean, 0, mean, mean};
  const double deviation = std::sqrt(squares / (n - 1));
  const double half = student_t_975(static_cast<int>(values.size()) - 1) * deviation / std::sqrt(n);
  return {mean, deviation, mean - half, mean + half};
}

Spread paired_difference(std::span<const double> a, std::span<const double> b) {
  MUSTER_CHECK(a.size() == b.size());
  std::vector<double> differences(a.size());
  for (size_t i = 0; i < a.size(); ++i) differences[i] = a[i] - b[i];
  return spread_of(differences);
}

}  // namespace muster
