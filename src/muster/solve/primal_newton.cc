#include "muster/solve/primal_newton.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "muster/core/parallel.h"
#include "muster/math/cholesky.h"
#include "muster/solve/inner_product.h"

namespace muster {
namespace {

constexpr int kMaxSteps = 60, kMaxConjugateSteps = 60;

// The derivatives of a loss by the decision f of an item with target y.
struct SquaredHinge {
  // What the second derivative is on average where the preconditioner is to be good: the share of
  // the items that all problems take to be within the margin, times that derivative there.
  static constexpr double kTypicalCurvature = 2 * 0.3;
  static double slope(double y, double f) { return -2 * y * std::max(0.0, 1 - y * f); }
  static double curvature(double y, double f) { return y * f < 1 ? 2 : 0; }
};
struct Logistic {
  static constexpr double kTypicalCurvature = 0.1;
  static double slope(double y, double f) { return -y / (1 + std::exp(y * f)); }
  static double curvature(double, double f) {
    const double s = 1 / (1 + std::exp(-std::abs(f)));
    return s * (1 - s);
  }
};

template <class Loss>
class Together final : public PrimalNewton {
 public:
  Together(const PrimalItems& items, std::vector<BinaryProblem> problems, std::vector<Sides> sides)
      : items_(items),
        problems_(std::move(problems)),
        sides_(std::move(sides)),
        n_(items.num_here()),
        dim_(items.num_weights()),
        weights_(problems_.size(), dim_),
        gradients_(problems_.size(), dim_),
        decisions_(problems_.size(), n_),
        solved_(problems_.size()),
        at_zero_(problems_.size()) {}

  const Matrix<double>& weights() const override { return weights_; }
  const Matrix<double>& decisions() const override { return decisions_; }
  const std::vector<char>& solved() const override { return solved_; }
  Convergence convergence() const override { return convergence_; }

  void solve(const std::vector<Costs>& costs, double tolerance) override {
    MUSTER_CHECK(costs.size() == problems_.size());
    costs_ = costs;
    convergence_ = {};
    double cost = 0;
    for (const Costs& of_problem : costs)
      cost += of_problem.negative / static_cast<double>(costs.size());
    preconditioner_ = items_.moments().factor(cost * Loss::kTypicalCurvature);
    std::vector<size_t> going;
    for (size_t p = 0; p < problems_.size(); ++p) {
      solved_[p] = !sides_[p].two();
      if (!solved_[p]) going.push_back(p);
    }
    for (int step = 0; step < kMaxSteps && !going.empty(); ++step) {
      update_gradients(going);
      convergence_.violation = 0;
      for (const size_t p : going) note_gradient(p, tolerance);
      std::erase_if(going, [&](size_t p) { return solved_[p]; });
      if (going.empty()) break;
      newton_step(going);
      convergence_.steps = step + 1;
    }
    convergence_.reached = going.empty();
  }

 private:
  double cost(size_t p, size_t i) const {
    const int8_t target = problems_[p].targets[i];
    return target > 0 ? costs_[p].positive : target < 0 ? costs_[p].negative : 0;
  }

  void note_gradient(size_t p, double tolerance) {
    const double norm = std::sqrt(inner(gradients_.row(p), gradients_.row(p)));
    // The first gradient of a problem is that at w = 0, which grows as the costs do.
    AtZero& first = at_zero_[p];
    if (first.cost == 0) first = {norm, costs_[p].negative};
    const double at_zero = first.norm * (costs_[p].negative / first.cost);
    const auto rarer = static_cast<double>(std::min(sides_[p].positives, sides_[p].negatives));
    const auto all = static_cast<double>(sides_[p].positives + sides_[p].negatives);
    solved_[p] = norm <= tolerance * rarer / all * at_zero;
    if (!solved_[p]) convergence_.violation = std::max(convergence_.violation, norm / at_zero);
  }

  // w + sum_i C_i slope_i x_i
  void update_gradients(const std::vector<size_t>& going) {
    Matrix<double> out(going.size(), dim_);
    Matrix<float> shares(going.size(), n_);
    parallel_for(going.size(), 1, [&](size_t k, size_t) {
      const size_t p = going[k];
      std::ranges::copy(weights_.row(p), out.row(k).begin());
      for (size_t i = 0; i < n_; ++i)
        shares(k, i) =
            static_cast<float>(cost(p, i) * Loss::slope(problems_[p].targets[i], decisions_(p, i)));
    });
    items_.add(shares, out);
    for (size_t k = 0; k < going.size(); ++k)
      std::ranges::copy(out.row(k), gradients_.row(going[k]).begin());
  }

  void newton_step(const std::vector<size_t>& going) {
    const Matrix<double> steps = directions(going);
    const Matrix<float> changes = items_.times(steps);
    const std::vector<double> lengths = search(going, steps, changes);
    parallel_for(going.size(), 1, [&](size_t k, size_t) {
      const size_t p = going[k];
      for (size_t t = 0; t < dim_; ++t) weights_(p, t) += lengths[k] * steps(k, t);
      for (size_t i = 0; i < n_; ++i)
        decisions_(p, i) += lengths[k] * static_cast<double>(changes(k, i));
    });
  }

  // Rough solutions of (I + sum of C_i curvature_i x_i x_i') s = -gradient.
  Matrix<double> directions(const std::vector<size_t>& going) const {
    // What is left of the gradient: the curvature will change.
    constexpr double kReduction = 0.05;
    Matrix<double> solution(going.size(), dim_), residual(going.size(), dim_);
    std::vector<double> goals(going.size());
    for (size_t k = 0; k < going.size(); ++k) {
      for (size_t t = 0; t < dim_; ++t) residual(k, t) = -gradients_(going[k], t);
      goals[k] = kReduction * kReduction * inner(residual.row(k), residual.row(k));
    }
    Matrix<double> preconditioned = precondition(residual), direction = preconditioned;
    std::vector<double> steepness(going.size());
    for (size_t k = 0; k < going.size(); ++k)
      steepness[k] = inner(residual.row(k), preconditioned.row(k));
    std::vector<char> done(going.size());
    for (int step = 0; step < kMaxConjugateSteps; ++step) {
      for (size_t k = 0; k < going.size(); ++k)
        done[k] = done[k] || inner(residual.row(k), residual.row(k)) <= goals[k];
      if (std::ranges::all_of(done, [](char is) { return is; })) break;
      const Matrix<double> image = curvature_times(direction, going);
      for (size_t k = 0; k < going.size(); ++k) {
        const double curvature = inner(direction.row(k), image.row(k));
        done[k] = done[k] || !(curvature > 0 && steepness[k] > 0);
        if (done[k]) continue;
        const double length = steepness[k] / curvature;
        for (size_t t = 0; t < dim_; ++t) {
          solution(k, t) += length * direction(k, t);
          residual(k, t) -= length * image(k, t);
        }
      }
      preconditioned = precondition(residual);
      for (size_t k = 0; k < going.size(); ++k) {
        if (done[k]) continue;
        const double next = inner(residual.row(k), preconditioned.row(k));
        for (size_t t = 0; t < dim_; ++t)
          direction(k, t) = preconditioned(k, t) + next / steepness[k] * direction(k, t);
        steepness[k] = next;
      }
    }
    return solution;
  }

  Matrix<double> precondition(const Matrix<double>& residual) const {
    Matrix<double> out = residual;
    if (preconditioner_)
      parallel_for(out.rows(), 1,
                   [&](size_t k, size_t) { solve_cholesky(*preconditioner_, out.row(k)); });
    return out;
  }

  Matrix<double> curvature_times(const Matrix<double>& directions,
                                 const std::vector<size_t>& going) const {
    Matrix<float> shares = items_.times(directions);
    parallel_for(going.size(), 1, [&](size_t k, size_t) {
      const size_t p = going[k];
      for (size_t i = 0; i < n_; ++i)
        shares(k, i) *= static_cast<float>(
            cost(p, i) * Loss::curvature(problems_[p].targets[i], decisions_(p, i)));
    });
    Matrix<double> out = directions;
    items_.add(shares, out);
    return out;
  }

  // For each problem the t in (0, 1] of least value along its step: by bisection of the derivative,
  // which rises, of all problems at once; a little beyond it rather than short of it.
  std::vector<double> search(const std::vector<size_t>& going, const Matrix<double>& steps,
                             const Matrix<float>& changes) const {
    constexpr int kHalvings = 12;
    const auto falls = [&](const std::vector<double>& at) {
      std::vector<double> sums =
          items_.totals(going.size(), [&](size_t k, size_t begin, size_t end) {
            const size_t p = going[k];
            double sum = 0;
            for (size_t i = begin; i < end; ++i) {
              const auto change = static_cast<double>(changes(k, i));
              sum += cost(p, i) *
                     Loss::slope(problems_[p].targets[i], decisions_(p, i) + at[k] * change) *
                     change;
            }
            return sum;
          });
      for (size_t k = 0; k < going.size(); ++k)
        sums[k] +=
            inner(weights_.row(going[k]), steps.row(k)) + at[k] * inner(steps.row(k), steps.row(k));
      return sums;
    };
    std::vector<double> low(going.size()), high(going.size(), 1), middle(going.size());
    const std::vector<double> at_end = falls(high);
    const auto ends = [&](size_t k) { return at_end[k] <= 0; };
    for (int halving = 0; halving < kHalvings; ++halving) {
      bool any = false;
      for (size_t k = 0; k < going.size(); ++k) {
        middle[k] = 0.5 * (low[k] + high[k]);
        any = any || !ends(k);
      }
      if (!any) break;
      const std::vector<double> slopes = falls(middle);
      for (size_t k = 0; k < going.size(); ++k)
        if (!ends(k)) (slopes[k] < 0 ? low[k] : high[k]) = middle[k];
    }
    return high;
  }

  const PrimalItems& items_;
  const std::vector<BinaryProblem> problems_;
  const std::vector<Sides> sides_;
  size_t n_, dim_;
  std::vector<Costs> costs_;
  Matrix<double> weights_, gradients_;
  Matrix<double> decisions_;  // problems x items here
  std::vector<char> solved_;
  struct AtZero {
    double norm = 0;  // of the gradient
    double cost = 0;
  };
  std::vector<AtZero> at_zero_;
  std::shared_ptr<const Matrix<float>> preconditioner_;
  Convergence convergence_;
};

}  // namespace

std::unique_ptr<PrimalNewton> make_primal_newton(PrimalLoss loss, const PrimalItems& items,
                                                 std::vector<BinaryProblem> problems,
                                                 std::vector<Sides> sides) {
  MUSTER_CHECK(sides.size() == problems.size());
  if (loss == PrimalLoss::kLogistic)
    return std::make_unique<Together<Logistic>>(items, std::move(problems), std::move(sides));
  return std::make_unique<Together<SquaredHinge>>(items, std::move(problems), std::move(sides));
}

std::vector<Sides> sides_of(const std::vector<BinaryProblem>& problems) {
  std::vector<Sides> out;
  for (const BinaryProblem& problem : problems)
    out.push_back({problem.count(1), problem.count(-1)});
  return out;
}

}  // namespace muster
