#include "muster/density/monte_carlo.h"

#include <cmath>

#include "muster/core/rng.h"

namespace muster {
namespace {

constexpr double kLargestLog = 700;  // exp(700) is 1e304

size_t component_at(const std::vector<double>& weights, double share) {
  size_t m = 0;
  while (m + 1 < weights.size() && share >= weights[m]) share -= weights[m++];
  return m;
}

// x <- L z where C = L L', given L^-1.
void colour(const Matrix<double>& inverse_factor, std::span<double> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t t = 0; t < i; ++t) values[i] -= inverse_factor(i, t) * values[t];
    values[i] /= inverse_factor(i, i);
  }
}

std::vector<float> log_densities(const Gmm& mixture, const Matrix<float>& vectors) {
  Matrix<float> responsibilities(vectors.rows(), mixture.num_components());
  std::vector<float> out(vectors.rows());
  mixture.posteriors(vectors, responsibilities, out);
  return out;
}

// Mean of a(i) + b(i) over i, with its standard error. Draw i of both mixtures comes from the same
// random numbers, so the two values of a pair depend on each other, and pairs do not.
template <class First, class Second>
MonteCarlo mean_of_pairs(size_t count, const First& first, const Second& second) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < count; ++i) {
    const double value = first(i) + second(i);
    sum += value;
    squares += value * value;
  }
  const auto n = static_cast<double>(count);
  const double mean = sum / n, variance = std::max(0.0, squares / n - mean * mean);
  return {mean, std::sqrt(variance / std::max(1.0, n - 1))};
}

}  // namespace

Draws draw(const Gmm& mixture, size_t count) {
  const size_t d = mixture.dim();
  Draws out{Matrix<float>(count, d), {}};
  const Rng stream = Rng(0).derive("monte-carlo");
  std::vector<Matrix<double>> factors;
  if (mixture.kind() == CovarianceKind::kFull)
    for (size_t m = 0; m < mixture.num_components(); ++m)
      factors.push_back(whiten(mixture.covariance(m)).inverse_factor);
  std::vector<double> values(d);
  for (size_t i = 0; i < count; ++i) {
    Rng rng = stream.derive(i);
    const size_t m = component_at(mixture.weights(), rng.uniform());
    for (double& value : values) value = rng.normal();
    if (factors.empty())
      for (size_t t = 0; t < d; ++t) values[t] *= std::sqrt(mixture.covariances()(m, t));
    else
      colour(factors[m], values);
    for (size_t t = 0; t < d; ++t)
      out.vectors(i, t) = static_cast<float>(mixture.means()(m, t) + values[t]);
  }
  out.log_densities = log_densities(mixture, out.vectors);
  return out;
}

MonteCarlo product_by_draws(const Gmm& p, const Draws& of_p, const Gmm& q, const Draws& of_q,
                            double rho, double log_scale) {
  MUSTER_CHECK(of_p.vectors.rows() == of_q.vectors.rows());
  const std::vector<float> p_at_q = log_densities(p, of_q.vectors),
                           q_at_p = log_densities(q, of_p.vectors);
  const auto half_value = [&](double own, double other) {
    const double high = std::max(own, other), low = std::min(own, other);
    const double log_mean = high + std::log1p(std::exp(low - high)) - std::log(2.0);
    return 0.5 * std::exp(std::min(rho * (own + other) - log_mean - log_scale, kLargestLog));
  };
  return mean_of_pairs(
      of_p.vectors.rows(), [&](size_t i) { return half_value(of_p.log_densities[i], q_at_p[i]); },
      [&](size_t i) { return half_value(of_q.log_densities[i], p_at_q[i]); });
}

double log_self_product(const Draws& of_p, double rho) {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (float log_density : of_p.log_densities)
    largest = std::max(largest, (2 * rho - 1) * log_density);
  for (float log_density : of_p.log_densities)
    sum += std::exp((2 * rho - 1) * log_density - largest);
  return largest + std::log(sum / static_cast<double>(of_p.log_densities.size()));
}

MonteCarlo symmetric_divergence_by_draws(const Gmm& p, const Draws& of_p, const Gmm& q,
                                         const Draws& of_q) {
  MUSTER_CHECK(of_p.vectors.rows() == of_q.vectors.rows());
  const std::vector<float> p_at_q = log_densities(p, of_q.vectors),
                           q_at_p = log_densities(q, of_p.vectors);
  return mean_of_pairs(
      of_p.vectors.rows(),
      [&](size_t i) { return static_cast<double>(of_p.log_densities[i]) - q_at_p[i]; },
      [&](size_t i) { return static_cast<double>(of_q.log_densities[i]) - p_at_q[i]; });
}

}  // namespace muster
