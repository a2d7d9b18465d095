// Kernels between Gaussians: closed forms with inverses as the papers write them, and integrals on
// a grid.
#pragma once

#include <cmath>
#include <numbers>

#include "oracle/gmm.h"

namespace muster::oracle {

// Integral of p^rho q^rho (Jebara et al. 2004, UGM eq 11).
inline double product_kernel(const Gaussian& p, const Gaussian& q, double rho) {
  const auto d = static_cast<double>(p.mean.size());
  const Eigen::MatrixXd p_inverse = p.covariance.inverse(), q_inverse = q.covariance.inverse();
  const Eigen::MatrixXd joint = (p_inverse + q_inverse).inverse();
  const Eigen::VectorXd mean = p_inverse * p.mean + q_inverse * q.mean;
  const double exponent =
      p.mean.dot(p_inverse * p.mean) + q.mean.dot(q_inverse * q.mean) - mean.dot(joint * mean);
  return std::pow(2 * std::numbers::pi, (1 - 2 * rho) * d / 2) * std::pow(rho, -d / 2) *
         std::sqrt(joint.determinant()) *
         std::pow(p.covariance.determinant() * q.covariance.determinant(), -rho / 2) *
         std::exp(-rho / 2 * exponent);
}

// Half of GEN eq 20.
inline double symmetric_divergence(const Gaussian& p, const Gaussian& q) {
  const Eigen::MatrixXd p_inverse = p.covariance.inverse(), q_inverse = q.covariance.inverse();
  const Eigen::VectorXd off = p.mean - q.mean;
  return 0.5 * ((p.covariance * q_inverse).trace() + (q.covariance * p_inverse).trace() -
                2 * static_cast<double>(p.mean.size()) + off.dot((p_inverse + q_inverse) * off));
}

// f(log p(x), log q(x)) over a grid of the 1-D or 2-D space that holds all of both. Sums over a
// grid finer than the narrowest Gaussian are exact apart from rounding.
template <class Function>
double integrate(const Gaussian& p, const Gaussian& q, const Function& f) {
  const Eigen::Index d = p.mean.size();
  const double spread = std::sqrt(std::max(p.covariance.trace(), q.covariance.trace()));
  const Eigen::VectorXd low = p.mean.cwiseMin(q.mean).array() - 10 * spread;
  const Eigen::VectorXd high = p.mean.cwiseMax(q.mean).array() + 10 * spread;
  const Eigen::MatrixXd p_inverse = p.covariance.inverse(), q_inverse = q.covariance.inverse();
  const double p_constant = log_density(p, p.mean), q_constant = log_density(q, q.mean);
  const int steps = d == 1 ? 4000 : 250;
  const Eigen::VectorXd width = (high - low) / steps;
  double sum = 0;
  Eigen::VectorXd x = low;
  for (int i = 0; i <= steps; ++i)
    for (int j = 0; j <= (d == 1 ? 0 : steps); ++j) {
      x[0] = low[0] + i * width[0];
      if (d > 1) x[1] = low[1] + j * width[1];
      const Eigen::VectorXd a = x - p.mean, b = x - q.mean;
      sum += f(p_constant - 0.5 * a.dot(p_inverse * a), q_constant - 0.5 * b.dot(q_inverse * b));
    }
  return sum * width.prod();
}

}  // namespace muster::oracle
