#include "muster/classify/logistic_training.h"

#include <algorithm>
#include <cmath>

namespace muster {
namespace {

// Cross-validation only ranks values of C, for which rougher solutions suffice.
constexpr double kCvTolerance = 0.01;

// log of 1 / (1 + exp(-f)), which does not underflow.
double log_sigmoid(double f) { return -(std::max(-f, 0.0) + std::log1p(std::exp(-std::abs(f)))); }

std::vector<BinaryProblem> logistic_problems(const char* stage, const Labels& labels,
                                             LogisticScheme scheme) {
  std::vector<BinaryProblem> problems = make_problems(stage, labels, Scheme::kOneVsAll);
  if (scheme == LogisticScheme::kOneVsAll) return problems;
  if (!labels.single_label())
    throw usage_error(
        "{}: scheme=multinomial needs exactly one label per item, but these data are multi-label; "
        "use scheme=one-vs-all",
        stage);
  if (problems.size() == 1) {  // two classes: a row for each
    problems.push_back(problems[0]);
    for (int8_t& target : problems[1].targets) target = static_cast<int8_t>(-target);
  }
  return problems;
}

// n / (classes n_class) for the items of each class, so that classes weigh the same.
void balance_classes(LogisticTask& task) {
  const size_t k = task.targets.rows(), n = task.targets.cols();
  std::vector<double> counts(k);
  double total = 0;
  for (size_t i = 0; i < n; ++i)
    for (size_t p = 0; p < k; ++p)
      if (task.costs(0, i) > 0) counts[p] += task.targets(p, i), total += task.targets(p, i);
  const auto present =
      static_cast<double>(std::ranges::count_if(counts, [](double c) { return c > 0; }));
  for (size_t i = 0; i < n; ++i) {
    double weight = 0;
    for (size_t p = 0; p < k; ++p)
      if (task.targets(p, i) > 0 && counts[p] > 0) weight = total / (present * counts[p]);
    for (size_t p = 0; p < k; ++p) task.costs(p, i) *= weight;
  }
}

}  // namespace

Matrix<double> logistic_probabilities(MatrixView<const double> scores, LogisticScheme scheme,
                                      bool multi_label) {
  Matrix<double> out(scores);
  for (size_t i = 0; i < out.rows(); ++i) {
    const auto row = out.row(i);
    if (row.empty()) continue;
    if (multi_label) {
      for (double& value : row) value = std::exp(log_sigmoid(value));
      continue;
    }
    const auto top = static_cast<size_t>(std::ranges::max_element(row) - row.begin());
    if (scheme == LogisticScheme::kOneVsAll)
      for (double& value : row) value = log_sigmoid(value);
    const double largest = row[top];
    double sum = 0;
    for (double& value : row) sum += value = std::exp(value - largest);
    for (double& value : row) value /= sum;
    // Rounding may make another class equal to the winner, which must stay the winner.
    for (size_t k = 0; k < top; ++k) row[k] = std::min(row[k], std::nextafter(row[top], 0.0));
  }
  return out;
}

LogisticTrainer::LogisticTrainer(const char* stage, const LogisticNewton& newton,
                                 const Labels& labels, LogisticScheme scheme,
                                 ClassWeights class_weights, LogisticLimits limits)
    : newton_(newton),
      labels_(labels),
      multinomial_(scheme == LogisticScheme::kMultinomial),
      class_weights_(class_weights),
      limits_(limits),
      problems_(logistic_problems(stage, labels, scheme)) {}

LogisticTask LogisticTrainer::make_task(std::span<const size_t> held_out) const {
  const size_t n = labels_.size();
  LogisticTask task{Matrix<double>(problems_.size(), n), Matrix<double>(problems_.size(), n),
                    multinomial_};
  for (size_t p = 0; p < problems_.size(); ++p) {
    BinaryProblem problem = problems_[p];
    for (const size_t i : held_out) problem.targets[i] = 0;
    if (!multinomial_ && !problem.two_sided()) continue;
    const Costs weights = multinomial_ ? Costs{} : side_weights(problem, class_weights_);
    for (size_t i = 0; i < n; ++i) {
      const int8_t target = problem.targets[i];
      task.targets(p, i) = target > 0 ? 1 : 0;
      task.costs(p, i) = target == 0 ? 0 : target > 0 ? weights.positive : weights.negative;
    }
  }
  if (!multinomial_) return task;
  // An item whose own label is left out takes no part in the joint problem.
  for (size_t i = 0; i < n; ++i) {
    bool takes_part = true;
    for (size_t p = 0; p < problems_.size(); ++p) takes_part = takes_part && task.costs(p, i) > 0;
    for (size_t p = 0; p < problems_.size(); ++p) task.costs(p, i) = takes_part ? 1 : 0;
  }
  if (class_weights_ == ClassWeights::kBalanced) balance_classes(task);
  return task;
}

int64_t LogisticTrainer::path(const CvFold& fold, std::span<Matrix<double>> decisions) const {
  const LogisticTask unit = make_task(fold.held_out);
  LogisticTask task = unit;
  LogisticSolution solution(problems_.size(), labels_.size());
  int64_t products = 0;
  for (size_t c = 0; c < fold.grid.size(); ++c) {
    for (size_t i = 0; i < task.costs.size(); ++i)
      task.costs.data()[i] = fold.grid[c] * unit.costs.data()[i];
    newton_.solve(task, std::max(kCvTolerance, limits_.tolerance), limits_.max_steps, solution);
    products = solution.products;
    for (size_t p = 0; p < problems_.size(); ++p)
      for (size_t j = 0; j < fold.held_out.size(); ++j)
        decisions[p](c, j) = solution.decisions(p, fold.held_out[j]);
  }
  for (size_t p = 0; p < problems_.size() && !multinomial_; ++p) {
    BinaryProblem problem = problems_[p];
    for (const size_t i : fold.held_out) problem.targets[i] = 0;
    if (!problem.two_sided()) std::ranges::fill(decisions[p].values(), one_sided_held_out(problem));
  }
  fold.done(problems_.size());
  return products;
}

LogisticTrainer::Fit LogisticTrainer::fit(double C) const {
  LogisticTask task = make_task({});
  for (double& cost : task.costs.values()) cost *= C;
  LogisticSolution solution(problems_.size(), labels_.size());
  newton_.solve(task, limits_.tolerance, limits_.max_steps, solution);
  Fit out{std::move(solution.coefficients), std::vector<double>(problems_.size()),
          solution.convergence, solution.products};
  for (size_t p = 0; p < problems_.size() && !multinomial_; ++p)
    if (!problems_[p].two_sided()) out.constants[p] = one_sided_decision(problems_[p]);
  return out;
}

}  // namespace muster
