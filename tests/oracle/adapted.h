// Mixtures adapted from a universal one, and what is made of them, naively: UGM's formulas one
// vector and one pair of Gaussians after the other.
#pragma once

#include "muster/mixture/gmm.h"
#include "oracle/gaussian_kernels.h"

namespace muster::oracle {

inline Mixture mixture_of(const Gmm& gmm) {
  const auto d = static_cast<Eigen::Index>(gmm.dim());
  Mixture out{gmm.weights(), {}};
  for (size_t m = 0; m < gmm.num_components(); ++m) {
    Gaussian part{Eigen::VectorXd(d), Eigen::MatrixXd::Zero(d, d)};
    for (size_t t = 0; t < gmm.dim(); ++t) {
      part.mean[static_cast<Eigen::Index>(t)] = gmm.means()(m, t);
      for (size_t u = 0; u < gmm.dim(); ++u)
        if (gmm.kind() == CovarianceKind::kFull || t == u)
          part.covariance(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(u)) =
              gmm.kind() == CovarianceKind::kFull ? gmm.covariance(m)(t, u)
                                                  : gmm.covariances()(m, t);
    }
    out.parts.push_back(part);
  }
  return out;
}

// UGM eqs 6-8, eq 6 as printed or with the universal weights; `current` gives the responsibilities.
// tau = 0 is a step of maximum likelihood.
inline Mixture adapt_step(const Mixture& universal, const Mixture& current,
                          const Matrix<float>& data, double tau, bool diagonal,
                          bool printed = false) {
  const size_t k = universal.weights.size();
  Mixture out = universal;
  for (size_t m = 0; m < k; ++m) {
    const Gaussian& prior = universal.parts[m];
    double count = 0;
    Eigen::VectorXd sum = tau * prior.mean;
    Eigen::MatrixXd squares = tau * (prior.covariance + prior.mean * prior.mean.transpose());
    for (size_t i = 0; i < data.rows(); ++i) {
      const Eigen::VectorXd x = vector_of(data.row(i));
      const double r = responsibilities(current, x)[m];
      count += r;
      sum += r * x;
      squares += r * x * x.transpose();
    }
    const auto components = static_cast<double>(k);
    const double pull = printed ? tau : components * tau * universal.weights[m];
    out.weights[m] = (count + pull) / (static_cast<double>(data.rows()) + components * tau);
    out.parts[m].mean = sum / (count + tau);
    out.parts[m].covariance =
        squares / (count + tau) - out.parts[m].mean * out.parts[m].mean.transpose();
    if (diagonal)
      out.parts[m].covariance = Eigen::MatrixXd(out.parts[m].covariance.diagonal().asDiagonal());
  }
  return out;
}

// UGM eqs 12 and 13 with weights to the power rho.
inline double mixture_product(const Mixture& p, const Mixture& q, double rho, bool one_to_one) {
  double sum = 0;
  for (size_t i = 0; i < p.parts.size(); ++i)
    for (size_t j = 0; j < q.parts.size(); ++j)
      if (!one_to_one || i == j)
        sum += std::pow(p.weights[i] * q.weights[j], rho) *
               product_kernel(p.parts[i], q.parts[j], rho);
  return sum;
}

// UGM eq 15.
inline double divergence(const Gaussian& p, const Gaussian& q) {
  const Eigen::MatrixXd inverse = q.covariance.inverse();
  const Eigen::VectorXd off = p.mean - q.mean;
  return 0.5 * (std::log(q.covariance.determinant() / p.covariance.determinant()) +
                (inverse * p.covariance).trace() + off.dot(inverse * off) -
                static_cast<double>(p.mean.size()));
}

// UGM eqs 16-18.
inline double mixture_divergence(const Mixture& p, const Mixture& q, bool one_to_one) {
  double sum = 0;
  for (size_t i = 0; i < p.parts.size(); ++i) {
    double best = std::numeric_limits<double>::infinity();
    for (size_t j = 0; j < q.parts.size(); ++j)
      if (!one_to_one || i == j)
        best = std::min(best, divergence(p.parts[i], q.parts[j]) - std::log(q.weights[j]));
    sum += p.weights[i] * (best + std::log(p.weights[i]));
  }
  return sum;
}

// UGM eq 16: of each Gaussian of p the one of q.
inline std::vector<size_t> matched(const Mixture& p, const Mixture& q) {
  std::vector<size_t> out;
  for (const Gaussian& part : p.parts) {
    size_t best = 0;
    const auto cost = [&](size_t j) {
      return divergence(part, q.parts[j]) - std::log(q.weights[j]);
    };
    for (size_t j = 1; j < q.parts.size(); ++j)
      if (cost(j) < cost(best)) best = j;
    out.push_back(best);
  }
  return out;
}

// Products of matched Gaussians, both ways (UGM 4.2.1), weights to the power rho.
inline double matched_product(const Mixture& p, const Mixture& q, double rho) {
  double sum = 0;
  const auto add = [&](const Mixture& a, const Mixture& b) {
    const std::vector<size_t> to = matched(a, b);
    for (size_t i = 0; i < to.size(); ++i)
      sum += std::pow(a.weights[i] * b.weights[to[i]], rho) *
             product_kernel(a.parts[i], b.parts[to[i]], rho) / 2;
  };
  add(p, q);
  add(q, p);
  return sum;
}

struct LikelihoodRatio {
  double exact = 0, bound = 0;  // mean over vectors
};

// Of mixtures of the same covariances; the bound takes the responsibilities from `universal`.
inline LikelihoodRatio likelihood_ratio(const Mixture& universal, const Mixture& adapted,
                                        const Matrix<float>& data) {
  LikelihoodRatio out;
  const auto count = static_cast<double>(data.rows());
  for (size_t i = 0; i < data.rows(); ++i) {
    const Eigen::VectorXd x = vector_of(data.row(i));
    double log_universal = 0, log_adapted = 0;
    const std::vector<double> r = responsibilities(universal, x, &log_universal);
    responsibilities(adapted, x, &log_adapted);
    out.exact += (log_adapted - log_universal) / count;
    for (size_t m = 0; m < r.size(); ++m)
      out.bound += r[m] *
                   (std::log(adapted.weights[m] / universal.weights[m]) +
                    log_density(adapted.parts[m], x) - log_density(universal.parts[m], x)) /
                   count;
  }
  return out;
}

}  // namespace muster::oracle
