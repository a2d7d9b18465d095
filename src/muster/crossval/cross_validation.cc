#include "muster/crossval/cross_validation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "muster/cluster/shared_for.h"
#include "muster/core/parallel.h"
#include "muster/evaluate/ranking.h"

namespace muster {
namespace {

// Decisions held at once; bounds the memory of one-vs-one with many classes.
constexpr size_t kMaxDecisions = size_t{1} << 25;

// Accuracy has one peak in C, nearly always within the middle; values beyond it are tried one by
// one while the last one tried is the best. Values at the low end take longest, those at the high
// end are the worst conditioned.
const std::vector<double> kGrid = {0.1, 1, 3, 10, 30, 100, 300, 1000};
constexpr size_t kMiddleBegin = 2, kMiddleEnd = 6;

std::vector<size_t> label_counts(const Labels& labels) {
  std::vector<size_t> counts(static_cast<size_t>(labels.num_classes()));
  for (const auto& of_item : labels.of_item)
    for (const int label : of_item) ++counts[static_cast<size_t>(label)];
  return counts;
}

// The first item of each item's group.
std::vector<size_t> first_of_groups(const Labels& labels) {
  std::vector<size_t> out(labels.size());
  std::map<size_t, size_t> first;
  for (size_t i = 0; i < labels.size(); ++i)
    out[i] = labels.group.empty() ? i : first.try_emplace(labels.group[i], i).first->second;
  return out;
}

double accuracy_of(MatrixView<const double> scores, const Labels& labels) {
  size_t correct = 0;
  for (size_t i = 0; i < scores.rows; ++i) {
    const auto row = scores.row(i);
    correct += std::ranges::max_element(row) - row.begin() == labels.first(i) ? 1 : 0;
  }
  return static_cast<double>(correct) / static_cast<double>(scores.rows);
}

double score_of(MatrixView<const double> scores, const Labels& labels) {
  return labels.single_label() ? accuracy_of(scores, labels)
                               : mean_average_precision(scores, labels);
}

// Everything the loop reads, fixed before it starts.
struct Loop {
  Scheme scheme;
  size_t num_problems;
  const FoldSolver& solver;
  FoldsRun run;
  std::vector<double> grid;
  std::vector<std::vector<size_t>> held_out;  // per fold

  // Folds [begin, end): fills the rows of their items in `scores`, one matrix per C.
  int64_t run_folds(size_t begin, size_t end, std::vector<Matrix<double>>& scores,
                    ProgressStep& step) const {
    std::vector<std::vector<Matrix<double>>> decisions(end - begin);
    std::vector<int64_t> iterations(end - begin);
    for (size_t f = 0; f < decisions.size(); ++f)
      decisions[f].assign(num_problems, Matrix<double>(grid.size(), held_out[begin + f].size()));
    std::vector<SharedRows> results = {rows_of(iterations)};
    for (size_t p = 0; p < num_problems; ++p)
      results.push_back([&, p](size_t f) { return shared_bytes(decisions[f][p].values()); });
    const auto solve = [&](size_t f, size_t) {
      iterations[f] = solver(
          {begin + f, held_out[begin + f], grid, [&](size_t n) { step.tick(n); }}, decisions[f]);
    };
    if (run == FoldsRun::kDivided)
      shared_for(end - begin, 1, results, solve);
    else
      for (size_t f = 0; f < decisions.size(); ++f) solve(f, f + 1);
    for (size_t f = 0; f < decisions.size(); ++f)
      for (size_t c = 0; c < grid.size(); ++c) score_fold(begin + f, c, decisions[f], scores[c]);
    int64_t total = 0;
    for (const int64_t count : iterations) total += count;
    return total;
  }

  void score_fold(size_t fold, size_t c, const std::vector<Matrix<double>>& decisions,
                  Matrix<double>& scores) const {
    const auto& items = held_out[fold];
    Matrix<double> table(items.size(), num_problems);
    for (size_t p = 0; p < num_problems; ++p)
      for (size_t j = 0; j < items.size(); ++j) table(j, p) = decisions[p](c, j);
    const Matrix<double> by_class = class_scores(table, static_cast<int>(scores.cols()), scheme);
    for (size_t j = 0; j < items.size(); ++j)
      std::ranges::copy(by_class.row(j), scores.row(items[j]).begin());
  }
};

// One value of C: the scores of every item by classifiers that have not seen it.
struct Tried {
  double C = 0;
  double score = 0;
  Matrix<double> scores;
};

std::vector<Tried> try_grid(Loop& loop, const std::vector<double>& grid, const Labels& labels,
                            int64_t& iterations, const Progress& progress) {
  loop.grid = grid;
  const size_t num_folds = loop.held_out.size();
  const auto k = static_cast<size_t>(labels.num_classes());
  std::vector<Matrix<double>> scores(grid.size(), Matrix<double>(labels.size(), k));
  const size_t per_fold =
      std::max<size_t>(1, grid.size() * loop.num_problems * (labels.size() / num_folds + 1));
  const size_t batch = loop.run == FoldsRun::kInTurn
                           ? 1
                           : std::clamp<size_t>(kMaxDecisions / per_fold, 1, num_folds);
  ProgressStep step(progress, "cross-validation", num_folds * loop.num_problems);
  for (size_t begin = 0; begin < num_folds; begin += batch)
    iterations += loop.run_folds(begin, std::min(num_folds, begin + batch), scores, step);
  std::vector<Tried> out;
  for (size_t c = 0; c < grid.size(); ++c) {
    const double score = score_of(scores[c], labels);
    out.push_back({grid[c], score, std::move(scores[c])});
  }
  return out;
}

// 101 quantiles of the largest score of each row.
std::vector<double> best_score_quantiles(const Matrix<double>& scores) {
  std::vector<double> best;
  best.reserve(scores.rows());
  for (size_t i = 0; i < scores.rows(); ++i) best.push_back(std::ranges::max(scores.row(i)));
  return quantiles(std::move(best));
}

}  // namespace

std::vector<double> default_c_grid() { return kGrid; }

void judge_by(const HeldOutScores& held_out, FitStatistics& statistics) {
  statistics.folds = held_out.folds;
  statistics.table = {{statistics.C, score_of(held_out.scores, held_out.labels)}};
  statistics.known_scores = best_score_quantiles(held_out.scores);
}

CvResult best_of_values(const std::string& parameter, std::span<const TriedValue> tried,
                        const Labels& labels, int folds) {
  MUSTER_CHECK(!tried.empty());
  const TriedValue* best = nullptr;
  double best_score = 0;
  FitStatistics statistics;
  statistics.parameter = parameter;
  statistics.folds = folds;
  for (const TriedValue& one : tried) {
    const double score = score_of(one.scores, labels);
    statistics.table.push_back({one.value, score});
    if (best && score <= best_score) continue;
    best = &one;
    best_score = score;
  }
  statistics.C = best->value;
  statistics.known_scores = best_score_quantiles(best->scores);
  return {std::move(statistics), Calibration::fit(best->scores, labels)};
}

void FitStatistics::save(const TensorWriter& out) const {
  Matrix<double> rows(table.size(), 2);
  for (size_t r = 0; r < table.size(); ++r) {
    rows(r, 0) = table[r].C;
    rows(r, 1) = table[r].score;
  }
  if (parameter != "C") out.put_text("parameter", parameter);
  out.put("C", C);
  out.put("folds", static_cast<double>(folds));
  out.put("table", rows);
  out.put("iterations", static_cast<double>(iterations));
  if (indefinite)
    out.put("indefinite",
            std::vector<double>{indefinite->smallest_eigenvalue, indefinite->largest_eigenvalue,
                                static_cast<double>(indefinite->negative)});
  if (!known_scores.empty()) out.put("known_scores", known_scores);
  if (convergence)
    out.put("convergence",
            std::vector<double>{static_cast<double>(convergence->steps), convergence->violation,
                                convergence->reached ? 1.0 : 0.0});
}

std::optional<double> FitStatistics::typicality(double best_score) const {
  if (known_scores.empty()) return std::nullopt;
  return share_below(known_scores, best_score);
}

FitStatistics FitStatistics::load(const TensorReader& in) {
  FitStatistics out;
  if (in.has_text("parameter")) out.parameter = in.text("parameter");
  out.C = in.number("C");
  out.folds = static_cast<int>(std::clamp(in.number("folds"), 0.0, 1e6));
  out.iterations = static_cast<int64_t>(std::clamp(in.number("iterations"), 0.0, 9e15));
  const Matrix<double> rows = in.matrix<double>("table");
  in.require(rows.cols() == 2, "the table of cross-validation must have two columns");
  for (size_t r = 0; r < rows.rows(); ++r) out.table.push_back({rows(r, 0), rows(r, 1)});
  if (in.has("indefinite")) {
    const std::vector<double> found = in.values<double>("indefinite");
    in.require(found.size() == 3,
               "what was found of an indefinite kernel matrix must be three numbers");
    out.indefinite =
        IndefiniteGram{found[0], found[1], static_cast<size_t>(std::clamp(found[2], 0.0, 9e15))};
  }
  if (in.has("known_scores")) out.known_scores = in.values<double>("known_scores");
  in.require(std::ranges::is_sorted(out.known_scores) && out.known_scores.size() != 1,
             "quantiles must rise");
  if (in.has("convergence")) {
    const std::vector<double> kept = in.values<double>("convergence");
    in.require(kept.size() == 3, "the convergence of a solver must be three numbers");
    out.convergence =
        Convergence{static_cast<int>(std::clamp(kept[0], 0.0, 1e9)), kept[1], kept[2] != 0};
  }
  return out;
}

std::vector<int> stratified_folds(const Labels& labels, int folds, Rng rng) {
  MUSTER_CHECK(folds >= 1);
  const std::vector<size_t> first = first_of_groups(labels);
  const std::vector<size_t> counts = label_counts(labels);
  std::vector<std::vector<size_t>> strata(counts.size() + 1);
  for (size_t i = 0; i < labels.size(); ++i) {
    if (first[i] != i) continue;
    size_t stratum = counts.size();
    for (const int label : labels.of_item[i]) {
      const auto l = static_cast<size_t>(label);
      if (stratum == counts.size() || counts[l] < counts[stratum]) stratum = l;
    }
    strata[stratum].push_back(i);
  }
  std::vector<int> fold_of(labels.size());
  size_t dealt = 0;
  for (size_t s = 0; s < strata.size(); ++s) {
    rng.derive(s).shuffle(std::span<size_t>(strata[s]));
    for (const size_t item : strata[s])
      fold_of[item] = static_cast<int>(dealt++ % static_cast<size_t>(folds));
  }
  for (size_t i = 0; i < labels.size(); ++i) fold_of[i] = fold_of[first[i]];
  return fold_of;
}

int usable_folds(const Labels& labels, int wanted) {
  const std::vector<size_t> first = first_of_groups(labels);
  std::vector<size_t> apart;  // what a fold can hold by itself
  for (size_t i = 0; i < labels.size(); ++i)
    if (first[i] == i) apart.push_back(i);
  std::vector<size_t> counts = label_counts(labels.select(apart));
  std::erase(counts, size_t{0});
  if (counts.empty() || std::ranges::max(counts) < 2) return 0;
  std::ranges::sort(counts);
  const auto median = static_cast<int>(std::min<size_t>(counts[counts.size() / 2], 1000000));
  return std::max(2, std::min(wanted, median));
}

double one_sided_held_out(const BinaryProblem& problem) { return problem.count(1) > 0 ? 1 : -1; }

CvResult cross_validate(const CvOptions& options, const Labels& labels,
                        const std::vector<BinaryProblem>& problems, const PathSolver& solver,
                        const Rng& rng, const Progress& progress) {
  return cross_validate(
      options, labels, problems, [&](const CvFold&) { return solver; }, rng, progress);
}

CvResult cross_validate(const CvOptions& options, const Labels& labels,
                        const std::vector<BinaryProblem>& problems,
                        const std::function<PathSolver(const CvFold&)>& solver_of_fold,
                        const Rng& rng, const Progress& progress) {
  const auto solve_fold = [&](const CvFold& fold, std::span<Matrix<double>> decisions) {
    const Rng stream = rng.derive("fold").derive(fold.number);
    const PathSolver solver = solver_of_fold(fold);
    std::vector<int64_t> iterations(problems.size());
    parallel_for(problems.size(), 1, [&](size_t first, size_t last) {
      for (size_t p = first; p < last; ++p) {
        CvTask task{problems[p], {}, fold.grid, fold.held_out, stream.derive(p)};
        for (const size_t i : fold.held_out) task.problem.targets[i] = 0;
        if (task.problem.two_sided()) {
          task.weights = side_weights(task.problem, options.class_weights);
          iterations[p] = solver(task, decisions[p]);
        } else {
          std::ranges::fill(decisions[p].values(), one_sided_held_out(task.problem));
        }
        fold.done(1);
      }
    });
    return std::accumulate(iterations.begin(), iterations.end(), int64_t{0});
  };
  return cross_validate(options, labels, problems.size(), solve_fold, rng, progress);
}

CvResult cross_validate(const CvOptions& options, const Labels& labels, size_t num_problems,
                        const FoldSolver& solver, const Rng& rng, const Progress& progress,
                        FoldsRun run) {
  const bool multi_label = !labels.single_label();
  CvResult result{{}, Calibration::identity(labels.num_classes(), multi_label)};
  FitStatistics& statistics = result.statistics;
  statistics.C = options.C.value_or(kDefaultC);
  const bool wanted = !options.C || options.calibrate || options.compare;
  const int folds = usable_folds(labels, options.C ? kCalibrationFolds : options.folds);
  if (!wanted || folds == 0) return result;
  statistics.folds = folds;

  Loop loop{options.scheme, num_problems, solver, run, {}, {}};
  const std::vector<int> fold_of = stratified_folds(labels, folds, rng.derive("folds"));
  loop.held_out.resize(static_cast<size_t>(folds));
  for (size_t i = 0; i < labels.size(); ++i)
    loop.held_out[static_cast<size_t>(fold_of[i])].push_back(i);

  std::vector<Tried> tried;
  const auto best = [&] { return std::ranges::max_element(tried, {}, &Tried::score); };
  const auto try_values = [&](const std::vector<double>& values) {
    for (Tried& one : try_grid(loop, values, labels, statistics.iterations, progress))
      tried.push_back(std::move(one));
    std::ranges::sort(tried, {}, &Tried::C);
    for (Tried& one : tried)
      if (&one != &*best()) one.scores = {};
  };
  if (options.C) {
    try_values({*options.C});
  } else {
    try_values({kGrid.begin() + kMiddleBegin, kGrid.begin() + kMiddleEnd});
    for (size_t low = kMiddleBegin; low > 0 && best() == tried.begin(); --low)
      try_values({kGrid[low - 1]});
    for (size_t high = kMiddleEnd; high < kGrid.size() && best() == tried.end() - 1; ++high)
      try_values({kGrid[high]});
  }
  for (const Tried& one : tried) statistics.table.push_back({one.C, one.score});
  statistics.C = best()->C;
  statistics.known_scores = best_score_quantiles(best()->scores);
  if (options.calibrate) result.calibration = Calibration::fit(best()->scores, labels);
  return result;
}

}  // namespace muster
