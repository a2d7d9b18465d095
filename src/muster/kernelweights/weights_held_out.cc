#include <cmath>
#include <map>
#include <numeric>

#include "muster/core/parallel.h"
#include "muster/kernelweights/weight_rules.h"
#include "muster/math/cholesky.h"
#include "muster/math/gemm.h"

namespace muster {
namespace {

constexpr double kStartRidge = 1.0 / 30, kStartSteepness = 3;
constexpr double kPriorDeviation = 2;  // of log v, per item
constexpr int kIterations = 30, kHalvings = 12;
constexpr double kGap = 1e-4;       // of the loss
constexpr double kLongestStep = 2;  // of log v

// The items that are left out together.
std::vector<std::vector<size_t>> groups_of(const Labels& labels) {
  std::vector<std::vector<size_t>> out;
  std::map<size_t, size_t> position;
  for (size_t i = 0; i < labels.size(); ++i) {
    const size_t group = labels.group.empty() ? i : labels.group[i];
    const auto [found, is_new] = position.try_emplace(group, out.size());
    if (is_new) out.emplace_back();
    out[found->second].push_back(i);
  }
  return out;
}

// items x classes.
Matrix<float> targets_of(const Labels& labels) {
  Matrix<float> out(labels.size(), static_cast<size_t>(labels.num_classes()));
  for (size_t i = 0; i < out.rows(); ++i)
    for (size_t c = 0; c < out.cols(); ++c)
      out(i, c) = static_cast<float>(labels.target(i, static_cast<int>(c)));
  return out;
}

// The means of rows and columns become 0.
template <class T>
void centre(Matrix<T>& symmetric) {
  const size_t n = symmetric.rows();
  std::vector<double> means(n);
  for (size_t i = 0; i < n; ++i) {
    const std::span<const T> row = symmetric.row(i);
    means[i] = std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(n);
  }
  const double mean = std::accumulate(means.begin(), means.end(), 0.0) / static_cast<double>(n);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      symmetric(i, j) = static_cast<T>(symmetric(i, j) - means[i] - means[j] + mean);
}

// x of `block` x = rows, by Gauss: groups are small. `block` is positive definite.
Matrix<double> solve(Matrix<double> block, Matrix<double> rows) {
  const size_t n = block.rows();
  for (size_t k = 0; k < n; ++k)
    for (size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = block(i, k) / block(k, k);
      for (size_t j = k; j < n; ++j) block(i, j) -= factor * block(k, j);
      for (size_t c = 0; c < rows.cols(); ++c) rows(i, c) -= factor * rows(k, c);
    }
  for (size_t k = 0; k < n; ++k)
    for (double& value : rows.row(k)) value /= block(k, k);
  return rows;
}

struct Point {
  double loss = INFINITY;
  std::vector<double> slope;  // by log v, and by the logarithm of the steepness at the end
};

// -log of what the scores say of the item's labels, and its slopes by the scores.
double item_loss(const Labels& labels, bool one_label, size_t item, std::span<const double> scores,
                 double steepness, std::span<double> slopes) {
  double loss = 0;
  if (!one_label) {
    for (size_t c = 0; c < scores.size(); ++c) {
      const int target = labels.target(item, static_cast<int>(c));
      const double margin = target * steepness * scores[c];
      if (target == 0) continue;
      loss += margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
      slopes[c] = -target / (1 + std::exp(margin));
    }
    return loss;
  }
  const double most = *std::ranges::max_element(scores);
  double sum = 0;
  for (size_t c = 0; c < scores.size(); ++c)
    sum += slopes[c] = std::exp(steepness * (scores[c] - most));
  for (double& slope : slopes) slope /= sum;
  const auto own = static_cast<size_t>(labels.first(item));
  slopes[own] -= 1;
  return std::log(sum) - steepness * (scores[own] - most);
}

class HeldOutLoss {
 public:
  HeldOutLoss(const KernelTiles& kernels, const Labels& labels)
      : kernels_(kernels),
        labels_(labels),
        one_label_(labels.single_label()),
        groups_(groups_of(labels)),
        targets_(targets_of(labels)),
        units_(centred_diagonals()) {}

  // The mean diagonal of each centred kernel.
  const std::vector<double>& units() const { return units_; }

  // At the logarithms of v, and of the steepness at the end.
  Point at(std::span<const double> logs) const {
    std::vector<double> weights(units_.size());
    for (size_t k = 0; k < weights.size(); ++k)
      weights[k] = units_[k] > 0 ? std::exp(logs[k]) / units_[k] : 0;
    Point out;
    Matrix<float> factor = ridge_matrix(weights);
    if (!factor_cholesky(factor.view())) return out;
    const Matrix<float> inverse = inverse_from_cholesky(factor);
    factor = {};
    const Groups groups = leave_out(inverse, std::exp(logs.back()));
    out.loss = groups.loss;
    out.slope = slopes_by_weights(inverse, groups);
    for (size_t k = 0; k < weights.size(); ++k) out.slope[k] *= weights[k];
    out.slope.push_back(groups.slope_by_steepness);
    add_prior(logs.first(weights.size()), out);
    return out;
  }

 private:
  struct Groups {
    double loss = 0, slope_by_steepness = 0;
    Matrix<float> duals;                // G^-1 t
    Matrix<float> forces;               // (G^-1)_FF^-1 times the slopes of the loss by the scores
    std::vector<Matrix<double>> moves;  // of each group: forces x residuals, made symmetric
  };

  std::vector<double> centred_diagonals() const {
    const auto n = static_cast<double>(kernels_.num_items);
    const auto on_diagonal = [](const Tile& tile, std::span<double> out) {
      if (tile.row == tile.col)
        for (size_t i = 0; i < tile.num_rows; ++i) out[i * tile.num_cols + i] = 1;
    };
    std::vector<double> traces = sums_over_pairs(kernels_, on_diagonal);
    const std::vector<double> sums = sums_over_pairs(
        kernels_, [](const Tile&, std::span<double> out) { std::ranges::fill(out, 1.0); });
    for (size_t k = 0; k < traces.size(); ++k) {
      const double centred = traces[k] - sums[k] / n;
      traces[k] = centred > 1e-9 * traces[k] ? centred / n : 0;  // 0: a constant
    }
    return traces;
  }

  Matrix<float> ridge_matrix(std::span<const double> weights) const {
    Matrix<double> sum = weighted_sum(kernels_, weights);
    centre(sum);
    double constant = 0;
    for (size_t k = 0; k < weights.size(); ++k) constant += weights[k] * units_[k];
    Matrix<float> out(sum.rows(), sum.cols());
    for (size_t i = 0; i < sum.size(); ++i)
      out.data()[i] = static_cast<float>(sum.data()[i] + constant);
    for (size_t i = 0; i < sum.rows(); ++i) out(i, i) += 1;
    return out;
  }

  Groups leave_out(const Matrix<float>& inverse, double steepness) const {
    const size_t classes = targets_.cols();
    Groups out;
    out.duals = Matrix<float>(targets_.rows(), classes);
    gemm_nn_parallel(inverse, targets_, out.duals);
    out.forces = Matrix<float>(targets_.rows(), classes);
    const double share = 1 / static_cast<double>(targets_.rows());
    for (const std::vector<size_t>& group : groups_) {
      Matrix<double> block(group.size(), group.size()), rows(group.size(), classes);
      for (size_t i = 0; i < group.size(); ++i) {
        for (size_t j = 0; j < group.size(); ++j) block(i, j) = inverse(group[i], group[j]);
        std::ranges::copy(out.duals.row(group[i]), rows.row(i).begin());
      }
      const Matrix<double> residuals = solve(block, std::move(rows));
      Matrix<double> slopes(group.size(), classes);
      for (size_t i = 0; i < group.size(); ++i) {
        std::vector<double> scores(classes);
        for (size_t c = 0; c < classes; ++c) scores[c] = targets_(group[i], c) - residuals(i, c);
        out.loss +=
            share * item_loss(labels_, one_label_, group[i], scores, steepness, slopes.row(i));
        for (size_t c = 0; c < classes; ++c) {
          slopes(i, c) *= share * steepness;
          out.slope_by_steepness += slopes(i, c) * scores[c];
        }
      }
      const Matrix<double> forces = solve(std::move(block), std::move(slopes));
      out.moves.push_back(symmetric_product(forces, residuals));
      for (size_t i = 0; i < group.size(); ++i)
        for (size_t c = 0; c < classes; ++c)
          out.forces(group[i], c) = static_cast<float>(forces(i, c));
    }
    return out;
  }

  static Matrix<double> symmetric_product(const Matrix<double>& a, const Matrix<double>& b) {
    Matrix<double> out(a.rows(), a.rows());
    for (size_t i = 0; i < a.rows(); ++i)
      for (size_t j = 0; j < a.rows(); ++j)
        for (size_t c = 0; c < a.cols(); ++c)
          out(i, j) += (a(i, c) * b(j, c) + a(j, c) * b(i, c)) / 2;
    return out;
  }

  // The slope of the loss by the weight of K is <H K H + unit, M> with M = A P d' - A W A: A the
  // inverse, P the forces, d the duals, W the groups' moves.
  std::vector<double> slopes_by_weights(const Matrix<float>& inverse, const Groups& groups) const {
    const size_t n = inverse.rows();
    Matrix<float> left(n, n), product(n, n), pulled(n, groups.forces.cols());
    for (size_t g = 0; g < groups_.size(); ++g)
      for (size_t r = 0; r < n; ++r)
        for (size_t j = 0; j < groups_[g].size(); ++j) {
          double sum = 0;
          for (size_t i = 0; i < groups_[g].size(); ++i)
            sum += inverse(r, groups_[g][i]) * groups.moves[g](i, j);
          left(r, groups_[g][j]) = static_cast<float>(sum);
        }
    gemm_nn_parallel(left, inverse, product);
    gemm_nn_parallel(inverse, groups.forces, pulled);
    gemm_nt(pulled, groups.duals, left);
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j <= i; ++j)
        product(i, j) = product(j, i) =
            (left(i, j) + left(j, i) - product(i, j) - product(j, i)) / 2;
    double all = 0;
    for (const float value : product.values()) all += value;
    centre(product);
    std::vector<double> out =
        sums_over_pairs(kernels_, [&](const Tile& tile, std::span<double> values) {
          for (size_t i = 0; i < tile.num_rows; ++i)
            std::ranges::copy(product.row(tile.row + i).subspan(tile.col, tile.num_cols),
                              values.begin() + static_cast<ptrdiff_t>(i * tile.num_cols));
        });
    for (size_t k = 0; k < out.size(); ++k) out[k] += units_[k] * all;
    return out;
  }

  void add_prior(std::span<const double> logs, Point& point) const {
    const double mean =
        std::accumulate(logs.begin(), logs.end(), 0.0) / static_cast<double>(logs.size());
    const double strength =
        1 / (kPriorDeviation * kPriorDeviation * static_cast<double>(labels_.size()));
    for (size_t k = 0; k < logs.size(); ++k) {
      point.loss += strength * (logs[k] - mean) * (logs[k] - mean) / 2;
      point.slope[k] += strength * (logs[k] - mean);
    }
  }

  const KernelTiles& kernels_;
  const Labels& labels_;
  bool one_label_;
  std::vector<std::vector<size_t>> groups_;
  Matrix<float> targets_;
  std::vector<double> units_;
};

double inner(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// The step -H slope, H being the estimate of the inverse curvature; no component is too long.
std::vector<double> downhill(const Matrix<double>& curvature, std::span<const double> slope) {
  std::vector<double> out(slope.size());
  double longest = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = -inner(curvature.row(i), slope);
    longest = std::max(longest, std::abs(out[i]));
  }
  if (longest > kLongestStep)
    for (double& value : out) value *= kLongestStep / longest;
  return out;
}

// H after a step that changed the slope (Broyden, Fletcher, Goldfarb, Shanno).
void update_curvature(std::span<const double> step, std::span<const double> change,
                      Matrix<double>& curvature) {
  const double along = inner(step, change);
  if (along <= 1e-12) return;
  std::vector<double> bent(step.size());
  for (size_t i = 0; i < bent.size(); ++i) bent[i] = inner(curvature.row(i), change);
  const double more = (1 + inner(change, bent) / along) / along;
  for (size_t i = 0; i < bent.size(); ++i)
    for (size_t j = 0; j < bent.size(); ++j)
      curvature(i, j) += more * step[i] * step[j] - (bent[i] * step[j] + step[i] * bent[j]) / along;
}

}  // namespace

std::vector<double> held_out_weights(const KernelTiles& kernels, const Labels& labels,
                                     std::span<const double> largest) {
  const HeldOutLoss loss(kernels, labels);
  const size_t count = kernels.num_kernels;
  std::vector<double> logs(count + 1, -std::log(kStartRidge * static_cast<double>(count)));
  logs.back() = std::log(kStartSteepness);
  Point here = loss.at(logs);
  // A first step of length 1.
  const double steepest = std::isfinite(here.loss) ? std::sqrt(inner(here.slope, here.slope)) : 0;
  Matrix<double> curvature(logs.size(), logs.size());
  for (size_t i = 0; i < logs.size(); ++i) curvature(i, i) = steepest > 0 ? 1 / steepest : 0;
  for (int iteration = 0; iteration < kIterations && steepest > 0; ++iteration) {
    std::vector<double> step = downhill(curvature, here.slope);
    const double promised = inner(step, here.slope);
    if (-promised < kGap * here.loss) break;
    Point next;
    std::vector<double> there(logs.size());
    double part = 1;
    for (int halving = 0; halving < kHalvings; ++halving, part /= 2) {
      for (size_t i = 0; i < logs.size(); ++i) there[i] = logs[i] + part * step[i];
      next = loss.at(there);
      if (next.loss <= here.loss + 1e-4 * part * promised) break;
    }
    if (next.loss >= here.loss) break;
    std::vector<double> change(logs.size());
    for (size_t i = 0; i < logs.size(); ++i) {
      step[i] *= part;
      change[i] = next.slope[i] - here.slope[i];
    }
    update_curvature(step, change, curvature);
    logs = std::move(there);
    here = std::move(next);
  }
  std::vector<double> out(count);
  for (size_t k = 0; k < count; ++k)
    if (loss.units()[k] > 0) out[k] = std::exp(logs[k]) / loss.units()[k] * largest[k];
  return out;
}

}  // namespace muster
