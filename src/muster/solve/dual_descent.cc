#include "muster/solve/dual_descent.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "muster/core/parallel.h"
#include "muster/math/gemm.h"
#include "muster/simd/vector_ops.h"
#include "muster/solve/active_system.h"
#include "muster/solve/line_search.h"

namespace muster {
namespace {

// Sweeps leave the rest to Newton steps from here on.
constexpr double kRough = 0.1;
constexpr int kMaxSweeps = 20, kMaxGradientSteps = 200;
// The active items will change, so solving for them more exactly would be wasted.
constexpr double kReduction = 0.3;
// Up to this many active items, a factorisation is cheaper than the gradient steps it saves.
constexpr size_t kMaxFactored = 1024;
// If the Gram is ill-conditioned, more would not help, but factored steps will.
constexpr int kMaxJointProducts = 60, kMaxJointSteps = 60;
// What a joint step leaves of the gradient: a product costs a fraction of what it does for one
// problem.
constexpr double kJointReduction = 0.01;

// A step from the present solution.
struct Step {
  explicit Step(size_t n) : alphas(n), decisions(n) {}
  std::vector<double> alphas, decisions;
};

class DualProblem {
 public:
  DualProblem(MatrixView<const float> gram, const BinaryProblem& problem, Costs costs,
              DualSolution& solution)
      : gram_(gram),
        targets_(problem.targets),
        ridge_{0.5 / costs.negative, 0.5 / costs.positive},
        alphas_(solution.alphas),
        decisions_(solution.decisions) {
    for (size_t i = 0; i < targets_.size(); ++i)
      if (targets_[i] != 0) order_.push_back(static_cast<uint32_t>(i));
  }

  void shuffle(Rng rng) { rng.shuffle(std::span<uint32_t>(order_)); }
  int64_t rows_used() const { return rows_used_; }

  // Visits every coordinate, minimises over those that violate their optimality condition by
  // `threshold` or more, and returns the worst violation met.
  double sweep(double threshold) {
    double worst = 0;
    for (const uint32_t i : order_) {
      const double slope = gradient(i);
      const double violation = alphas_[i] != 0 ? std::abs(slope) : std::max(-slope, 0.0);
      worst = std::max(worst, violation);
      if (violation < threshold) continue;
      const double curvature = static_cast<double>(gram_(i, i)) + ridge(i);
      const double next = std::max(alphas_[i] - slope / curvature, 0.0);
      use_row(next - alphas_[i], i, decisions_);
      alphas_[i] = next;
    }
    return worst;
  }

  // How far the alphas are from 2 C_i max(0, 1 - y_i f_i), in units of the margin.
  double violation() const {
    double worst = 0;
    for (const uint32_t i : order_)
      worst = std::max(worst, std::abs(ridge(i) * alphas_[i] - slack(decisions_[i], i)));
    return worst;
  }

  void recompute_decisions() {
    std::ranges::fill(decisions_, 0);
    for (const uint32_t i : order_)
      if (alphas_[i] != 0) use_row(alphas_[i], i, decisions_);
  }

  // The minimum over one factor for all alphas: a warm start from another C may be far too short.
  void rescale() {
    double linear = 0, quadratic = 0;
    for (const uint32_t i : order_) {
      linear += alphas_[i];
      quadratic += alphas_[i] * (targets_[i] * decisions_[i] + ridge(i) * alphas_[i]);
    }
    if (!(linear > 0 && quadratic > 0)) return;
    for (double& alpha : alphas_) alpha *= linear / quadratic;
    for (double& decision : decisions_) decision *= linear / quadratic;
  }

  // Newton's step for the primal: the items within the margin, as they are now, are fitted by
  // regularised least squares, and the line to that point is searched for the least primal
  // value. Returns false if rounding leaves no descent.
  bool newton_step(double tolerance) {
    Step step(alphas_.size());
    const std::vector<uint32_t> active = begin_step(step);
    for (double reduction = kReduction; reduction > 1e-9; reduction *= 0.01) {
      improve(active, std::max(tolerance, reduction), reduction, step);
      if (take(step)) return true;
    }
    return false;
  }

  // The items within the margin; the step takes all others out of the solution.
  std::vector<uint32_t> begin_step(Step& step) {
    std::vector<uint32_t> active;
    for (const uint32_t i : order_) {
      if (slack(decisions_[i], i) > 0) {
        active.push_back(i);
      } else if (alphas_[i] != 0) {
        step.alphas[i] = -alphas_[i];
        use_row(-alphas_[i], i, step.decisions);
      }
    }
    return active;
  }

  // Goes along the step as far as the primal value falls; false if it does not.
  bool take(const Step& step) {
    const double length = search(step);
    if (!(length > 0)) return false;
    for (size_t i = 0; i < alphas_.size(); ++i) {
      alphas_[i] += length * step.alphas[i];
      decisions_[i] += length * step.decisions[i];
    }
    return true;
  }

 private:
  friend class ConjugateGradients;

  double ridge(size_t i) const { return ridge_[targets_[i] > 0]; }
  double slack(double decision, size_t i) const {
    return std::max(0.0, 1 - targets_[i] * decision);
  }
  double gradient(size_t i) const {
    return targets_[i] * decisions_[i] - 1 + alphas_[i] * ridge(i);
  }
  // decisions += K_i y_i alpha.
  void use_row(double alpha, size_t i, std::vector<double>& decisions) {
    axpy(alpha * targets_[i], gram_.row(i), decisions);
    ++rows_used_;
  }

  // The right-hand side of Newton's equations on the active items, after what the step has done.
  std::vector<double> residual_of(const std::vector<uint32_t>& active, const Step& step) const {
    std::vector<double> residual(active.size());
    for (size_t s = 0; s < active.size(); ++s) {
      const uint32_t i = active[s];
      residual[s] = -gradient(i) - targets_[i] * step.decisions[i] - ridge(i) * step.alphas[i];
    }
    return residual;
  }

  // Improves the step, on the active items, towards the point where their gradients vanish.
  void improve(const std::vector<uint32_t>& active, double tolerance, double reduction,
               Step& step) {
    if (active.size() <= kMaxFactored && factored_step(active, tolerance, step)) return;
    conjugate_gradients(active, tolerance, reduction, step);
  }

  bool factored_step(const std::vector<uint32_t>& active, double tolerance, Step& step) {
    std::vector<double> ridges(active.size()), signed_residual = residual_of(active, step);
    for (size_t s = 0; s < active.size(); ++s) {
      ridges[s] = ridge(active[s]);
      signed_residual[s] *= targets_[active[s]];
    }
    const ActiveSystem system(gram_, active, ridges);
    if (!system.factored()) return false;
    const std::vector<double> solution = system.solve(signed_residual, 0.25 * tolerance);
    for (size_t s = 0; s < active.size(); ++s) {
      const uint32_t i = active[s];
      step.alphas[i] += targets_[i] * solution[s];
      use_row(targets_[i] * solution[s], i, step.decisions);
    }
    return true;
  }

  void conjugate_gradients(const std::vector<uint32_t>& active, double tolerance, double reduction,
                           Step& step);

  // The t in (0, 1] of least primal value along the step, by bisection of its derivative, which
  // rises; 0 if the value does not fall.
  double search(const Step& step) const {
    double at_zero = 0, growth = 0;
    for (const uint32_t i : order_) {
      at_zero += alphas_[i] * targets_[i] * step.decisions[i];
      growth += step.alphas[i] * targets_[i] * step.decisions[i];
    }
    const auto derivative = [&](double t) {
      double sum = at_zero + t * growth;
      for (const uint32_t i : order_)
        sum -= slack(decisions_[i] + t * step.decisions[i], i) / ridge(i) * targets_[i] *
               step.decisions[i];
      return sum;
    };
    const double slope = derivative(0);
    if (!(slope < 0)) return 0;
    return derivative(1) <= -0.01 * slope ? 1 : bisect_rising(derivative);
  }

  MatrixView<const float> gram_;
  const std::vector<int8_t>& targets_;
  double ridge_[2];
  std::vector<double>& alphas_;
  std::vector<double>& decisions_;
  std::vector<uint32_t> order_;
  int64_t rows_used_ = 0;
};

// Towards the point where the gradients of the active items vanish.
class ConjugateGradients {
 public:
  // Until the worst gradient is within `tolerance` or `reduction` times what it is now.
  ConjugateGradients(const DualProblem& dual, std::vector<uint32_t> active, double tolerance,
                     double reduction, Step& step)
      : dual_(dual),
        active_(std::move(active)),
        step_(step),
        residual_(dual.residual_of(active_, step)),
        direction_(residual_) {
    for (const double value : residual_) {
      norm_ += value * value;
      worst_ = std::max(worst_, std::abs(value));
    }
    goal_ = std::max(tolerance, reduction * worst_);
  }

  bool done() const { return worst_ <= goal_; }
  const std::vector<uint32_t>& active() const { return active_; }
  // Of an active item, by its position among them.
  double direction(size_t s) const { return direction_[s]; }
  double signed_direction(size_t s) const { return direction_[s] * dual_.targets_[active_[s]]; }

  // `image` is the Gram times the signed direction.
  template <class Number>
  void advance(std::span<const Number> image) {
    const auto product = [&](size_t s) {
      const uint32_t i = active_[s];
      return dual_.targets_[i] * static_cast<double>(image[i]) + dual_.ridge(i) * direction_[s];
    };
    double curvature = 0, next = 0;
    for (size_t s = 0; s < active_.size(); ++s) curvature += direction_[s] * product(s);
    if (!(curvature > 0)) {
      worst_ = 0;  // rounding leaves nothing to gain
      return;
    }
    const double length = norm_ / curvature;
    worst_ = 0;
    for (size_t s = 0; s < active_.size(); ++s) {
      step_.alphas[active_[s]] += length * direction_[s];
      residual_[s] -= length * product(s);
      next += residual_[s] * residual_[s];
      worst_ = std::max(worst_, std::abs(residual_[s]));
    }
    for (size_t i = 0; i < image.size(); ++i)
      step_.decisions[i] += length * static_cast<double>(image[i]);
    for (size_t s = 0; s < active_.size(); ++s)
      direction_[s] = residual_[s] + next / norm_ * direction_[s];
    norm_ = next;
  }

 private:
  const DualProblem& dual_;
  std::vector<uint32_t> active_;
  Step& step_;
  std::vector<double> residual_, direction_;
  double norm_ = 0, worst_ = 0, goal_ = 0;
};

void DualProblem::conjugate_gradients(const std::vector<uint32_t>& active, double tolerance,
                                      double reduction, Step& step) {
  ConjugateGradients descent(*this, active, tolerance, reduction, step);
  std::vector<double> image(decisions_.size());
  for (int k = 0; k < kMaxGradientSteps && !descent.done(); ++k) {
    std::ranges::fill(image, 0);
    for (size_t s = 0; s < active.size(); ++s) use_row(descent.direction(s), active[s], image);
    descent.advance(std::span<const double>(image));
  }
}

}  // namespace

int64_t approach_duals(MatrixView<const float> gram, const std::vector<BinaryProblem>& problems,
                       const std::vector<Costs>& costs, double tolerance,
                       std::vector<DualSolution>& solutions) {
  const size_t n = gram.rows, count = problems.size();
  MUSTER_CHECK(costs.size() == count && solutions.size() == count);
  std::vector<DualProblem> duals;
  duals.reserve(count);
  for (size_t p = 0; p < count; ++p) duals.emplace_back(gram, problems[p], costs[p], solutions[p]);
  std::vector<size_t> unsolved(count);
  std::iota(unsolved.begin(), unsolved.end(), size_t{0});
  std::vector<double> reductions(count, kJointReduction);
  Matrix<float> directions(count, n), images(count, n);
  int64_t products = 0;
  for (int step = 0; step < kMaxJointSteps && products < kMaxJointProducts; ++step) {
    std::erase_if(unsolved, [&](size_t p) { return duals[p].violation() <= tolerance; });
    if (unsolved.empty()) break;
    std::vector<Step> steps(unsolved.size(), Step(n));
    std::vector<std::optional<ConjugateGradients>> descents(unsolved.size());
    parallel_for(unsolved.size(), 1, [&](size_t u, size_t) {
      const size_t p = unsolved[u];
      std::vector<uint32_t> active = duals[p].begin_step(steps[u]);
      descents[u].emplace(duals[p], std::move(active), reductions[p] * tolerance, reductions[p],
                          steps[u]);
    });
    for (; products < kMaxJointProducts; ++products) {
      std::vector<ConjugateGradients*> going;
      for (std::optional<ConjugateGradients>& descent : descents)
        if (!descent->done()) going.push_back(&*descent);
      if (going.empty()) break;
      parallel_for(going.size(), 1, [&](size_t g, size_t) {
        std::ranges::fill(directions.row(g), 0.0f);
        for (size_t s = 0; s < going[g]->active().size(); ++s)
          directions(g, going[g]->active()[s]) = static_cast<float>(going[g]->signed_direction(s));
      });
      gemm_nn_parallel(directions.view().slice_rows(0, going.size()), gram,
                       images.view().slice_rows(0, going.size()));
      parallel_for(going.size(), 1, [&](size_t g, size_t) {
        going[g]->advance(std::span<const float>(images.row(g)));
      });
    }
    parallel_for(unsolved.size(), 1, [&](size_t u, size_t) {
      if (!duals[unsolved[u]].take(steps[u]))
        reductions[unsolved[u]] *= 0.1;  // the direction was not exact enough
    });
  }
  // Single precision was good enough for the steps, not for what is left at their end.
  parallel_for(count, 1, [&](size_t p, size_t) { duals[p].recompute_decisions(); });
  return products;
}

int64_t solve_dual(MatrixView<const float> gram, const BinaryProblem& problem, Costs costs,
                   const DualLimits& limits, Rng rng, DualSolution& solution) {
  const size_t n = gram.rows;
  MUSTER_CHECK(gram.cols == n && problem.targets.size() == n);
  MUSTER_CHECK(solution.alphas.size() == n && solution.decisions.size() == n);
  DualProblem dual(gram, problem, costs, solution);
  if (dual.violation() <= limits.tolerance) return 0;
  dual.shuffle(rng);
  dual.rescale();
  // Only the worse violations are repaired in a sweep: looking costs O(1), repairing a row of K, so
  // this spends rows nearly as well as always taking the worst would, without searching for it.
  const double goal = std::max(kRough, limits.tolerance);
  double threshold = 0.5;
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    const double worst = dual.sweep(threshold);
    if (worst <= goal) break;
    threshold = std::clamp(0.5 * worst, 0.5 * goal, 0.5);
  }
  for (int step = 0; step < limits.max_steps && dual.violation() > limits.tolerance; ++step)
    if (!dual.newton_step(0.25 * limits.tolerance)) break;
  return dual.rows_used();
}

}  // namespace muster
