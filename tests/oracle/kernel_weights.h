// What weight learning optimises, straight from the formulas (DSPM 3.2 and kernel_weights.h).
#pragma once

#include <Eigen/Dense>
#include <algorithm>
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

// The mean log-loss of the softmax of held-out ridge scores, trained again without each group, and
// the prior on log v (weight_rules.h). Every item has one label; kernels get mean diagonals of 1
// and a constant of 1.
inline double held_out_loss(const Grams& grams, const std::vector<int>& classes,
                            const std::vector<size_t>& groups, const std::vector<double>& v,
                            double steepness) {
  const auto n = grams[0].rows();
  const int count = *std::max_element(classes.begin(), classes.end()) + 1;
  Eigen::MatrixXd k = Eigen::MatrixXd::Zero(n, n), t = Eigen::MatrixXd::Constant(n, count, -1);
  double mean = 0, loss = 0;
  for (size_t j = 0; j < v.size(); ++j) {
    const Eigen::MatrixXd h = centred(grams[j]);
    k.array() += v[j] * (h.array() / (h.trace() / static_cast<double>(n)) + 1);
    mean += std::log(v[j]) / static_cast<double>(v.size());
  }
  for (Eigen::Index i = 0; i < n; ++i) t(i, classes[static_cast<size_t>(i)]) = 1;
  for (Eigen::Index i = 0; i < n; ++i) {
    std::vector<Eigen::Index> others;
    for (Eigen::Index j = 0; j < n; ++j)
      if (groups[static_cast<size_t>(j)] != groups[static_cast<size_t>(i)]) others.push_back(j);
    const auto m = static_cast<Eigen::Index>(others.size());
    const Eigen::MatrixXd g = k(others, others) + Eigen::MatrixXd::Identity(m, m);
    const Eigen::VectorXd scores =
        steepness * (k(i, others) * g.ldlt().solve(t(others, Eigen::all))).transpose();
    loss += (std::log(scores.array().exp().sum()) - scores(classes[static_cast<size_t>(i)])) /
            static_cast<double>(n);
  }
  for (const double value : v)
    loss += std::pow(std::log(value) - mean, 2) / (8 * static_cast<double>(n));
  return loss;
}

}  // namespace muster::oracle
