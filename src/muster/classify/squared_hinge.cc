#include "muster/classify/squared_hinge.h"

#include <algorithm>

namespace muster {
namespace {

// Cross-validation only ranks values of C, for which rougher solutions suffice.
constexpr double kCvTolerance = 3;

DualLimits rough_limits(double tolerance) {
  DualLimits limits;
  limits.tolerance = std::min(0.5, kCvTolerance * tolerance);
  return limits;
}

// From this many problems on, sharing a product with the Gram pays.
constexpr size_t kFewProblems = 4;

}  // namespace

std::vector<DualSolution> squared_hinge_starts(MatrixView<const float> gram,
                                               const std::vector<BinaryProblem>& problems,
                                               ClassWeights class_weights, double C,
                                               double tolerance) {
  std::vector<DualSolution> out(problems.size(), DualSolution(gram.rows));
  // Pairs of classes are many and small: together they would take memory without sharing much.
  if (problems.size() < kFewProblems || !std::ranges::all_of(problems, &BinaryProblem::whole))
    return out;
  approach_duals(gram, problems, problem_costs(problems, class_weights, C), tolerance, out);
  return out;
}

int64_t squared_hinge_path(MatrixView<const float> gram, double tolerance, const CvTask& task,
                           MatrixView<double> decisions) {
  DualSolution solution(gram.rows);
  const DualLimits limits = rough_limits(tolerance);
  int64_t rows = 0;
  for (size_t c = 0; c < task.grid.size(); ++c) {
    rows += solve_dual(gram, task.problem, scaled(task.weights, task.grid[c]), limits, task.rng,
                       solution);
    for (size_t j = 0; j < task.held_out.size(); ++j)
      decisions(c, j) = solution.decisions[task.held_out[j]];
  }
  return rows;
}

int64_t squared_hinge_fit(MatrixView<const float> gram, const BinaryProblem& problem,
                          ClassWeights class_weights, double C, double tolerance, const Rng& rng,
                          DualSolution& solution) {
  const Costs weights = side_weights(problem, class_weights);
  int64_t rows = 0;
  // Up the last values of the grid to C: from a cold start a large C takes longer.
  const bool cold = std::ranges::all_of(solution.alphas, [](double alpha) { return alpha == 0; });
  for (const double smaller : default_c_grid())
    if (cold && smaller < C && smaller > C / 50)
      rows += solve_dual(gram, problem, scaled(weights, smaller), rough_limits(tolerance), rng,
                         solution);
  DualLimits limits;
  limits.tolerance = tolerance;
  return rows + solve_dual(gram, problem, scaled(weights, C), limits, rng, solution);
}

}  // namespace muster
