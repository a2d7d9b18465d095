// What weight learning optimises, straight from the formulas (DSPM 3.2 and kernel_weights.h).
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

namespace muster::oracle {

using Grams = std::vector<Eigen::MatrixXd>;

inline Eigen::MatrixXd centred(const Eigen::MatrixXd& k) {
  const auto n = k.rows();
  const Eigen::MatrixXd h = Eigen::MatrixXd::Identity(n, n) -
                            Eigen::MatrixXd::Constant(n, n, 1.0 / static_cast<double>(n));
  return h * k * h;
}

inline Eigen::MatrixXd combined(const Grams& grams, const std::vector<double>& u) {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(grams[0].rows(), grams[0].cols());
  for (size_t j = 0; j < grams.size(); ++j) out += u[j] * grams[j] / grams[j].cwiseAbs().maxCoeff();
  return out;
}

inline double qp_objective(const Grams& grams, const Eigen::MatrixXd& y, double ridge,
                           const std::vector<double>& u) {
  double length = 0;
  for (double value : u) length += value * value;
  return (combined(grams, u) - y).squaredNorm() + ridge * length;
}

inline double hinge_objective(const Grams& grams, const Eigen::MatrixXd& y,
                              const std::vector<double>& u) {
  const Eigen::MatrixXd k = combined(grams, u);
  double sum = 0;
  for (Eigen::Index p = 0; p < k.rows(); ++p)
    for (Eigen::Index q = 0; q < k.cols(); ++q)
      sum += std::max(0.0, y(p, q) == 1 ? 1 - k(p, q) : k(p, q) - y(p, q));
  return sum;
}

inline double alignment(const Grams& grams, const Eigen::MatrixXd& y,
                        const std::vector<double>& u) {
  const Eigen::MatrixXd k = combined(grams, u);
  return k.cwiseProduct(y).sum() / (k.norm() * y.norm());
}

}  // namespace muster::oracle
