// Mixtures of Gaussians, naively, in double precision: one vector after the other, no sums kept.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <numbers>
#include <vector>

#include "muster/core/matrix.h"

namespace muster::oracle {

struct Gaussian {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
};

struct Mixture {
  std::vector<double> weights;
  std::vector<Gaussian> parts;
};

inline Eigen::VectorXd vector_of(std::span<const float> row) {
  Eigen::VectorXd out(row.size());
  for (size_t t = 0; t < row.size(); ++t) out[static_cast<Eigen::Index>(t)] = row[t];
  return out;
}

inline double log_density(const Gaussian& g, const Eigen::VectorXd& x) {
  const Eigen::VectorXd off = x - g.mean;
  return -0.5 * (std::log((2 * std::numbers::pi * g.covariance).determinant()) +
                 off.dot(g.covariance.inverse() * off));
}

inline std::vector<double> responsibilities(const Mixture& mixture, const Eigen::VectorXd& x,
                                            double* log_sum = nullptr) {
  std::vector<double> out;
  double total = 0;
  for (size_t m = 0; m < mixture.weights.size(); ++m) {
    out.push_back(mixture.weights[m] * std::exp(log_density(mixture.parts[m], x)));
    total += out.back();
  }
  for (double& value : out) value /= total;
  if (log_sum) *log_sum = std::log(total);
  return out;
}

// GEN eqs 10-12 with the prior Gaussian `prior`; `diagonal` drops what is off the diagonal.
inline Mixture map_em_step(const Mixture& mixture, const Matrix<float>& data, const Gaussian& prior,
                           double w_p, double w_mean, double w_cov, bool diagonal) {
  const size_t k = mixture.weights.size();
  std::vector<std::vector<double>> r;
  for (size_t i = 0; i < data.rows(); ++i)
    r.push_back(responsibilities(mixture, vector_of(data.row(i))));
  Mixture out{std::vector<double>(k), mixture.parts};
  for (size_t m = 0; m < k; ++m) {
    double count = 0;
    Eigen::VectorXd mean = w_mean * prior.mean;
    for (size_t i = 0; i < r.size(); ++i) {
      count += r[i][m];
      mean += r[i][m] * vector_of(data.row(i));
    }
    mean /= count + w_mean;
    Eigen::MatrixXd covariance =
        w_mean * (mean - prior.mean) * (mean - prior.mean).transpose() + w_cov * prior.covariance;
    for (size_t i = 0; i < r.size(); ++i) {
      const Eigen::VectorXd off = vector_of(data.row(i)) - mean;
      covariance += r[i][m] * off * off.transpose();
    }
    covariance /= count + w_cov;
    if (diagonal) covariance = Eigen::MatrixXd(covariance.diagonal().asDiagonal());
    out.weights[m] = (count + w_p) / (static_cast<double>(r.size()) + static_cast<double>(k) * w_p);
    out.parts[m] = {mean, covariance};
  }
  return out;
}

}  // namespace muster::oracle
