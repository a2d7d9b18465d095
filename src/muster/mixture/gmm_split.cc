#include "muster/mixture/gmm_split.h"

#include <cmath>
#include <numeric>

#include "muster/math/symmetric_eigen.h"

namespace muster {
namespace {

constexpr double kSplitDeviations = 0.5;
constexpr double kDeadCount = 0.5;

// How far each half of a split component moves, along its main axis (full) or
// along the dimension of largest variance (diagonal).
std::vector<double> split_step(const Gmm& mixture, size_t component) {
  const size_t d = mixture.dim();
  std::vector<double> step(d);
  if (mixture.kind() == CovarianceKind::kDiagonal) {
    const auto variances = mixture.covariances().row(component);
    const size_t widest =
        static_cast<size_t>(std::ranges::max_element(variances) - variances.begin());
    step[widest] = kSplitDeviations * std::sqrt(variances[widest]);
    return step;
  }
  const MatrixView<const double> covariance = mixture.covariance(component);
  const auto n = static_cast<Eigen::Index>(d);
  Eigen::MatrixXd matrix(n, n);
  for (size_t i = 0; i < d; ++i)
    for (size_t t = 0; t < d; ++t)
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(t)) = covariance(i, t);
  const SymmetricEigen eigen = symmetric_eigen(matrix);
  Eigen::VectorXd axis = eigen.vectors.col(n - 1);
  Eigen::Index peak = 0;
  axis.cwiseAbs().maxCoeff(&peak);
  if (axis[peak] < 0) axis = -axis;  // always the same one of the two signs
  for (size_t t = 0; t < d; ++t)
    step[t] =
        kSplitDeviations * std::sqrt(eigen.values[n - 1]) * axis[static_cast<Eigen::Index>(t)];
  return step;
}

// Parameters of a mixture while components are added or replaced.
struct Parameters {
  std::vector<double> weights;
  Matrix<double> means, covariances;

  explicit Parameters(const Gmm& mixture)
      : weights(mixture.weights()), means(mixture.means()), covariances(mixture.covariances()) {}

  void resize(size_t components) {
    const auto grown = [](const Matrix<double>& from, size_t rows) {
      Matrix<double> out(rows, from.cols());
      std::ranges::copy(from.values(), out.data());
      return out;
    };
    covariances = grown(covariances, covariances.rows() / weights.size() * components);
    means = grown(means, components);
    weights.resize(components);
  }

  // Component `from` becomes two halves, the second of which takes the place of `to`.
  void split(size_t from, size_t to, std::span<const double> step) {
    const size_t rows = covariances.rows() / weights.size();
    weights[to] = weights[from] /= 2;
    for (size_t t = 0; t < step.size(); ++t) {
      means(to, t) = means(from, t) - step[t];
      means(from, t) += step[t];
    }
    for (size_t r = 0; r < rows; ++r)
      std::ranges::copy(covariances.row(from * rows + r), covariances.row(to * rows + r).begin());
  }

  Gmm mixture(CovarianceKind kind) {
    return Gmm(std::move(weights), std::move(means), std::move(covariances), kind);
  }
};

std::vector<size_t> heaviest_first(const std::vector<double>& weights) {
  std::vector<size_t> order(weights.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return weights[a] > weights[b]; });
  return order;
}

}  // namespace

std::optional<Gmm> reseed_dead(const Gmm& mixture, double num_vectors, int* reseeded) {
  std::vector<size_t> dead;
  for (size_t m = 0; m < mixture.num_components(); ++m)
    if (mixture.weights()[m] * num_vectors < kDeadCount) dead.push_back(m);
  if (dead.empty() || dead.size() == mixture.num_components()) return std::nullopt;
  const std::vector<size_t> donors = heaviest_first(mixture.weights());
  Parameters parameters(mixture);
  for (size_t i = 0; i < dead.size(); ++i) {
    if (mixture.weights()[donors[i]] * num_vectors < 2 * kDeadCount) break;
    const double lost = parameters.weights[dead[i]];
    parameters.split(donors[i], dead[i], split_step(mixture, donors[i]));
    parameters.weights[dead[i]] += lost;
    ++*reseeded;
  }
  return parameters.mixture(mixture.kind());
}

Gmm split_components(const Gmm& mixture, size_t target) {
  const size_t k = mixture.num_components(), added = std::min(k, target - k);
  const std::vector<size_t> order = heaviest_first(mixture.weights());
  Parameters parameters(mixture);
  parameters.resize(k + added);
  for (size_t i = 0; i < added; ++i)
    parameters.split(order[i], k + i, split_step(mixture, order[i]));
  return parameters.mixture(mixture.kind());
}

}  // namespace muster
