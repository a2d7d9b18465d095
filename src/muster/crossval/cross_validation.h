// Choosing C, and scoring items by classifiers that have not seen them: stratified folds, the grid,
// the loop over (fold x two-class problem) and the criterion. Knows no solver.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "muster/core/options.h"
#include "muster/core/progress.h"
#include "muster/core/rng.h"
#include "muster/core/tensors.h"
#include "muster/crossval/calibration.h"
#include "muster/crossval/indefinite.h"
#include "muster/solve/binary_problems.h"
#include "muster/solve/convergence.h"

namespace muster {

// C if cross-validation is impossible (no class with two items).
inline constexpr double kDefaultC = 10;
// Folds of the pass that only calibrates or compares, if C is given.
inline constexpr int kCalibrationFolds = 5;

// 0.1 to 1000, rising, of which cross-validation tries the middle and goes on beyond an edge of it
// while the value there is the best; C of inputs scaled to a mean squared norm (mean diagonal)
// of 1.
std::vector<double> default_c_grid();

struct CvRow {
  double C = 0;  // or what FitStatistics::parameter says
  // Accuracy for one-label data, mean average precision for multi-label data.
  double score = 0;
  bool operator==(const CvRow&) const = default;
};

// How a classifier was fitted. `seconds` is not saved: model files must not depend on the clock.
struct FitStatistics {
  // The option that cross-validation chooses: C, unless a classifier says otherwise.
  std::string parameter = "C";
  double C = 0;   // its value
  int folds = 0;  // 0: no cross-validation was done
  std::vector<CvRow> table;
  // Rows of the Gram used (solver gram), or trainings by LIBLINEAR or LIBSVM; all folds together.
  int64_t iterations = 0;
  double seconds = 0;
  std::optional<IndefiniteGram> indefinite;  // what was found and treated, if anything
  std::optional<Convergence> convergence;    // if the solver reports any
  // The best score of items by classifiers that have not seen them: 101 quantiles, rising. Empty
  // if no cross-validation was done.
  std::vector<double> known_scores;

  // The share of such items whose best score is lower than this one: near 0 for an item that is
  // none of the classes. None if known_scores is empty.
  std::optional<double> typicality(double best_score) const;

  void save(const TensorWriter& out) const;
  static FitStatistics load(const TensorReader& in);
};

// The fold of each item. Items of a stratum (one-label: the class; multi-label: the item's rarest
// label) are shuffled and dealt in turn, each stratum going on where the last stopped: fold sizes
// and the items of a stratum in two folds differ by at most one. A group is dealt as its first
// item is.
std::vector<int> stratified_folds(const Labels& labels, int folds, Rng rng);

// How many folds these data allow: at most the median size of the classes that occur (in groups if
// there are any) and at most `wanted`, but at least 2; 0 if no class has two items or groups.
int usable_folds(const Labels& labels, int wanted);

// One training problem of the loop: items of the held-out fold have target 0.
struct CvTask {
  BinaryProblem problem;
  Costs weights;  // times C gives the cost of an error
  std::span<const double> grid;
  std::span<const size_t> held_out;
  Rng rng;
};
// Trains for every C of the grid and writes grid x held_out decisions; returns iterations done.
// Called from several threads at once; never with a one-sided problem.
using PathSolver = std::function<int64_t(const CvTask&, MatrixView<double> decisions)>;

// A fold as a whole, for classifiers whose problems share work or are one joint problem.
struct CvFold {
  size_t number = 0;
  std::span<const size_t> held_out;
  std::span<const double> grid;
  std::function<void(size_t problems)> done;  // to be told, for progress
};
// Trains for every C of the grid on all items but the held-out ones and writes grid x held_out
// decisions of each problem; returns iterations done. Called from several threads at once unless
// folds run in turn.
using FoldSolver = std::function<int64_t(const CvFold&, std::span<Matrix<double>> decisions)>;

// The decision on held-out items if the others have one sign only.
double one_sided_held_out(const BinaryProblem& problem);

// Options that every classifier with a C shares.
struct CvOptions {
  std::optional<double> C;  // none: chosen from default_c_grid()
  int folds = 10;
  Scheme scheme = Scheme::kOneVsAll;
  ClassWeights class_weights = ClassWeights::kNone;
  bool calibrate = true;
  // Scores are needed even if C is given and nothing is calibrated: they choose a kernel.
  bool compare = false;

  void fields(Fields& f) {
    cost_field(f);
    f.choice("scheme", scheme, {"one-vs-all", "one-vs-one"},
             "how classes become two-class problems");
    fold_fields(f);
    f("calibrate", calibrate, "fit probabilities on held-out scores, also if C is given");
  }

 protected:
  void cost_field(Fields& f) {
    f("C", C, "cost of an error; auto chooses it by cross-validation").range(1e-6, 1e9);
  }
  void fold_fields(Fields& f) {
    f("folds", folds, "folds of cross-validation").range(2, 1000);
    f.choice("class_weights", class_weights, {"none", "balanced"},
             "balanced: errors on both sides weigh the same whatever their number");
  }
};

// Scores of items by classifiers that had not seen them, from a cross-validation elsewhere.
struct HeldOutScores {
  Matrix<double> scores;  // a row per item
  Labels labels;          // of the items
  int folds = 0;
  std::vector<size_t> items;  // which they are
};
// The table, the folds and the known scores become those.
void judge_by(const HeldOutScores& held_out, FitStatistics& statistics);

struct CvResult {
  FitStatistics statistics;  // C is the smallest of the best ones
  Calibration calibration;   // fitted on the held-out scores for that C
};

// One value of the parameter: the scores of every item by classifiers that have not seen it.
struct TriedValue {
  double value = 0;
  Matrix<double> scores;
};
// What such trials say: the table, the smallest of the best values and its calibration. Requires
// one or more, rising.
CvResult best_of_values(const std::string& parameter, std::span<const TriedValue> tried,
                        const Labels& labels, int folds);

// Deterministic for any number of threads.
CvResult cross_validate(const CvOptions& options, const Labels& labels,
                        const std::vector<BinaryProblem>& problems, const PathSolver& solver,
                        const Rng& rng, const Progress& progress);
// With a solver for each fold, for folds that have a Gram of their own.
CvResult cross_validate(const CvOptions& options, const Labels& labels,
                        const std::vector<BinaryProblem>& problems,
                        const std::function<PathSolver(const CvFold&)>& solver_of_fold,
                        const Rng& rng, const Progress& progress);
// Folds are divided over ranks and threads, or all ranks work at one after the other.
enum class FoldsRun { kDivided, kInTurn };
CvResult cross_validate(const CvOptions& options, const Labels& labels, size_t num_problems,
                        const FoldSolver& solver, const Rng& rng, const Progress& progress,
                        FoldsRun run = FoldsRun::kDivided);

}  // namespace muster
