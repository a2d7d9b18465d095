#include "muster/classify/dual_descent.h"

#include <algorithm>
#include <cmath>

#include "muster/classify/active_system.h"
#include "muster/math/vector_ops.h"

namespace muster {
namespace {

// Sweeps leave the rest to Newton steps from here on.
constexpr double kRough = 0.1;
constexpr int kMaxSweeps = 20;
constexpr int kMaxGradientSteps = 200;
// The active items will change, so solving for them more exactly would be wasted.
constexpr double kReduction = 0.3;
// Up to so many active items a factorisation is cheaper than the gradient steps it saves.
constexpr size_t kMaxFactored = 1024;

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
  // regularised least squares, and the way there is searched for the least primal value. Returns
  // false where rounding leaves no way down.
  bool newton_step(double tolerance) {
    Step step(alphas_.size());
    std::vector<uint32_t> active;
    for (const uint32_t i : order_) {
      if (slack(decisions_[i], i) > 0) {
        active.push_back(i);
      } else if (alphas_[i] != 0) {
        step.alphas[i] = -alphas_[i];
        use_row(-alphas_[i], i, step.decisions);
      }
    }
    for (double reduction = kReduction; reduction > 1e-9; reduction *= 0.01) {
      improve(active, std::max(tolerance, reduction), reduction, step);
      const double length = search(step);
      if (!(length > 0)) continue;
      move(step, length);
      return true;
    }
    return false;
  }

 private:
  struct Step {
    explicit Step(size_t n) : alphas(n), decisions(n) {}
    std::vector<double> alphas, decisions;
  };

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

  void move(const Step& step, double length) {
    for (size_t i = 0; i < alphas_.size(); ++i) {
      alphas_[i] += length * step.alphas[i];
      decisions_[i] += length * step.decisions[i];
    }
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
                           Step& step) {
    const size_t count = active.size();
    std::vector<double> residual = residual_of(active, step), way = residual,
                        image(decisions_.size());
    double norm = 0, worst = 0;
    for (const double value : residual) {
      norm += value * value;
      worst = std::max(worst, std::abs(value));
    }
    const double goal = std::max(tolerance, reduction * worst);
    for (int k = 0; k < kMaxGradientSteps && worst > goal; ++k) {
      std::ranges::fill(image, 0);
      for (size_t s = 0; s < count; ++s) use_row(way[s], active[s], image);
      const auto product = [&](size_t s) {
        return targets_[active[s]] * image[active[s]] + ridge(active[s]) * way[s];
      };
      double curvature = 0, next = 0;
      for (size_t s = 0; s < count; ++s) curvature += way[s] * product(s);
      if (!(curvature > 0)) break;
      const double length = norm / curvature;
      worst = 0;
      for (size_t s = 0; s < count; ++s) {
        step.alphas[active[s]] += length * way[s];
        residual[s] -= length * product(s);
        next += residual[s] * residual[s];
        worst = std::max(worst, std::abs(residual[s]));
      }
      for (size_t i = 0; i < image.size(); ++i) step.decisions[i] += length * image[i];
      for (size_t s = 0; s < count; ++s) way[s] = residual[s] + next / norm * way[s];
      norm = next;
    }
  }

  // The t in (0, 1] of least primal value along the step, by bisection of its derivative, which
  // rises; 0 where the value does not fall.
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
    double low = 0, high = 1;
    if (derivative(1) <= -0.01 * slope) return 1;
    for (int k = 0; k < 12; ++k) {
      const double middle = 0.5 * (low + high);
      (derivative(middle) < 0 ? low : high) = middle;
    }
    return high;
  }

  MatrixView<const float> gram_;
  const std::vector<int8_t>& targets_;
  double ridge_[2];
  std::vector<double>& alphas_;
  std::vector<double>& decisions_;
  std::vector<uint32_t> order_;
  int64_t rows_used_ = 0;
};

}  // namespace

int64_t solve_dual(MatrixView<const float> gram, const BinaryProblem& problem, Costs costs,
                   const DualLimits& limits, Rng rng, DualSolution& solution) {
  const size_t n = gram.rows;
  MUSTER_CHECK(gram.cols == n && problem.targets.size() == n);
  MUSTER_CHECK(solution.alphas.size() == n && solution.decisions.size() == n);
  DualProblem dual(gram, problem, costs, solution);
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
