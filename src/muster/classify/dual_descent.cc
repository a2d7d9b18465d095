#include "muster/classify/dual_descent.h"

#include <algorithm>
#include <cmath>

#include "muster/math/vector_ops.h"

namespace muster {

int64_t solve_dual(MatrixView<const float> gram, const BinaryProblem& problem, Costs costs,
                   const DualLimits& limits, Rng rng, DualSolution& solution) {
  const size_t n = gram.rows;
  MUSTER_CHECK(gram.cols == n && problem.targets.size() == n);
  MUSTER_CHECK(solution.alphas.size() == n && solution.decisions.size() == n);
  std::vector<uint32_t> order;
  std::vector<double> curvatures(n);
  const double ridge[] = {0.5 / costs.negative, 0.5 / costs.positive};
  for (size_t i = 0; i < n; ++i) {
    if (problem.targets[i] == 0) continue;
    order.push_back(static_cast<uint32_t>(i));
    curvatures[i] = static_cast<double>(gram(i, i)) + ridge[problem.targets[i] > 0];
  }
  rng.shuffle(std::span<uint32_t>(order));
  // Only the worse violations are repaired in a sweep: looking costs O(1), repairing a row of K, so
  // this spends rows nearly as well as always taking the worst would, without searching for it.
  double threshold = 0.5;
  int64_t changes = 0;
  for (int sweep = 0; sweep < limits.max_sweeps; ++sweep) {
    double worst = 0;
    for (const uint32_t i : order) {
      const double y = problem.targets[i];
      double& alpha = solution.alphas[i];
      const double gradient = y * solution.decisions[i] - 1 + alpha * ridge[problem.targets[i] > 0];
      const double violation = alpha > 0 ? std::abs(gradient) : std::max(-gradient, 0.0);
      worst = std::max(worst, violation);
      if (violation < threshold) continue;
      const double next = std::max(alpha - gradient / curvatures[i], 0.0);
      axpy((next - alpha) * y, gram.row(i), solution.decisions);
      alpha = next;
      ++changes;
    }
    if (worst <= limits.tolerance) break;
    threshold = std::max(0.5 * limits.tolerance, std::min(threshold, 0.5 * worst));
  }
  return changes;
}

}  // namespace muster
