#include "muster/kernelweights/simplex_qp.h"

#include <Eigen/QR>
#include <cmath>

namespace muster {
namespace {

// Of the largest entry of Q and c.
constexpr double kGap = 1e-13;
// Exchanges find the support long before they are that close: after each of these gaps, the
// optimum on the support is tried.
constexpr double kGaps[] = {3e-3, 1e-4, 1e-6, 1e-9, kGap};
constexpr int kIterations = 200000;
// Sums of that many steps are made again from their parts, so that rounding does not add up.
constexpr int kRefresh = 1000;
// What the exchange leaves below this is tried as zero.
constexpr double kSupport = 1e-9;
// A pivot of the support's matrix below this part of its diagonal counts as singular.
constexpr double kLeastPivot = 1e-10;

using Index = Eigen::Index;

struct Programme {
  // Symmetric, so rows are as good as columns.
  Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>> quadratic;
  Eigen::Map<const Eigen::VectorXd> linear;

  Eigen::VectorXd gradient(const Eigen::VectorXd& u) const { return 2 * (quadratic * u - linear); }
};

// Largest gradient difference that the conditions of optimality forbid.
double violation(const Programme& programme, const Eigen::VectorXd& u) {
  const Eigen::VectorXd gradient = programme.gradient(u);
  double most = -INFINITY;
  for (Index j = 0; j < u.size(); ++j)
    if (u[j] > 0) most = std::max(most, gradient[j]);
  return most - gradient.minCoeff();
}

// Sequential minimal optimisation: as long as the conditions of optimality forbid more than the
// gap, the share of the variable with the largest gradient goes to the one with the smallest, as
// far as the objective falls.
class Exchange {
 public:
  explicit Exchange(const Programme& programme)
      : programme_(programme),
        u_(Eigen::VectorXd::Constant(programme.linear.size(),
                                     1.0 / static_cast<double>(programme.linear.size()))) {}

  void run(double gap) {
    const auto& quadratic = programme_.quadratic;
    const Index n = u_.size();
    for (; iteration_ < kIterations; ++iteration_) {
      if (iteration_ % kRefresh == 0) gradient_ = programme_.gradient(u_);
      Index to = 0, from = 0;
      double least = INFINITY, most = -INFINITY;
      for (Index j = 0; j < n; ++j) {
        const double value = gradient_[j], taken = u_[j] > 0 ? value : -INFINITY;
        to = value < least ? j : to;
        least = value < least ? value : least;
        from = taken > most ? j : from;
        most = taken > most ? taken : most;
      }
      const double slope = most - least;
      if (slope <= gap) return;
      const double curvature = quadratic(to, to) + quadratic(from, from) - 2 * quadratic(to, from);
      const bool all = 2 * curvature * u_[from] <= slope;
      const double step = all ? u_[from] : slope / (2 * curvature);
      u_[to] += step;
      u_[from] = all ? 0 : u_[from] - step;
      gradient_ += 2 * step * (quadratic.col(to) - quadratic.col(from));
    }
  }
  const Eigen::VectorXd& u() const { return u_; }

 private:
  const Programme& programme_;
  Eigen::VectorXd u_, gradient_;
  int iteration_ = 0;
};

// The optimum among all u that are zero outside of the support: a linear system with the sum of
// shares as one more row.
Eigen::VectorXd exact_on_support(const Programme& programme, const std::vector<Index>& support) {
  const auto m = static_cast<Index>(support.size());
  Eigen::MatrixXd matrix(m, m);
  Eigen::VectorXd linear(m), ones = Eigen::VectorXd::Ones(m);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < m; ++j) matrix(i, j) = programme.quadratic(support[i], support[j]);
    linear[i] = programme.linear[support[i]];
  }
  const Eigen::LLT<Eigen::MatrixXd> factor(matrix);
  const auto pivots = factor.matrixLLT().diagonal().array().square();
  if (factor.info() == Eigen::Success && (pivots > kLeastPivot * matrix.diagonal().array()).all()) {
    const Eigen::VectorXd free = factor.solve(linear);
    const Eigen::VectorXd along = factor.solve(ones);
    return free + (1 - free.sum()) / along.sum() * along;
  }
  Eigen::MatrixXd system = Eigen::MatrixXd::Zero(m + 1, m + 1);
  system.topLeftCorner(m, m) = matrix;
  system.row(m).head(m).setOnes();
  system.col(m).head(m).setOnes();
  Eigen::VectorXd sides = Eigen::VectorXd::Ones(m + 1);
  sides.head(m) = linear;
  return system.completeOrthogonalDecomposition().solve(sides).head(m);
}

// Starts from the support of u; what comes out negative leaves it. Empty if nothing is left.
Eigen::VectorXd exact_near(const Programme& programme, const Eigen::VectorXd& u) {
  std::vector<Index> support;
  for (Index j = 0; j < u.size(); ++j)
    if (u[j] > kSupport) support.push_back(j);
  while (!support.empty()) {
    const Eigen::VectorXd shares = exact_on_support(programme, support);
    if (shares.minCoeff() >= 0 && shares.sum() > 0.5) {
      Eigen::VectorXd out = Eigen::VectorXd::Zero(u.size());
      for (size_t i = 0; i < support.size(); ++i) out[support[i]] = shares[static_cast<Index>(i)];
      return out / out.sum();
    }
    const size_t before = support.size();
    size_t i = 0;
    std::erase_if(support, [&](Index) { return !(shares[static_cast<Index>(i++)] > 0); });
    if (support.size() == before) break;
  }
  return {};
}

}  // namespace

std::vector<double> solve_simplex_qp(MatrixView<const double> quadratic,
                                     std::span<const double> linear) {
  const auto n = static_cast<Index>(linear.size());
  MUSTER_CHECK(n > 0 && quadratic.rows == linear.size() && quadratic.cols == linear.size());
  const Programme programme{
      {quadratic.data, n, n, Eigen::OuterStride<>(static_cast<Index>(quadratic.stride))},
      {linear.data(), n}};
  // No other entry of a positive semi-definite matrix is larger than the diagonal's largest.
  const double scale = std::max(programme.quadratic.diagonal().cwiseAbs().maxCoeff(),
                                programme.linear.cwiseAbs().maxCoeff());

  Exchange exchange(programme);
  Eigen::VectorXd best;
  double least = INFINITY;
  for (const double gap : kGaps) {
    if (least <= kGap * scale) break;
    exchange.run(gap * scale);
    const Eigen::VectorXd exact = exact_near(programme, exchange.u());
    const double remaining = exact.size() > 0 ? violation(programme, exact) : INFINITY;
    if (remaining < least) {
      best = exact;
      least = remaining;
    }
  }
  const Eigen::VectorXd u = exchange.u() / exchange.u().sum();
  if (best.size() == 0 || (least > kGap * scale && violation(programme, u) < least)) best = u;
  return std::vector<double>(best.data(), best.data() + n);
}

}  // namespace muster
