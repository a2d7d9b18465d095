#include "muster/classify/kernel_svm.h"

#include <chrono>
#include <cmath>

#include "muster/classify/libsvm_gram.h"
#include "muster/classify/squared_hinge.h"
#include "muster/core/parallel.h"

namespace muster {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class KernelSvm final : public Classifier {
 public:
  KernelSvm(Scheme scheme, Matrix<double> coefficients, std::vector<double> offsets, CvResult fit)
      : scheme_(scheme),
        coefficients_(std::move(coefficients)),
        offsets_(std::move(offsets)),
        fit_(std::move(fit)) {}

  bool takes_gram() const override { return true; }
  int num_classes() const override { return fit_.calibration.num_classes(); }
  const FitStatistics* statistics() const override { return &fit_.statistics; }

  Matrix<double> scores_from_gram(MatrixView<const double> kernel_rows) const override {
    MUSTER_CHECK(kernel_rows.cols == coefficients_.rows());
    Matrix<double> decisions(kernel_rows.rows, offsets_.size());
    parallel_for(kernel_rows.rows, 16, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        const auto out = decisions.row(i);
        std::ranges::copy(offsets_, out.begin());
        for (size_t j = 0; j < kernel_rows.cols; ++j)
          for (size_t p = 0; p < out.size(); ++p) out[p] += kernel_rows(i, j) * coefficients_(j, p);
      }
    });
    return class_scores(decisions, num_classes(), scheme_);
  }

  Matrix<double> probabilities(MatrixView<const double> scores) const override {
    return fit_.calibration.probabilities(scores);
  }

  void save(TensorWriter out) const override {
    out.put("coefficients", coefficients_);
    out.put("offsets", offsets_);
    fit_.calibration.save(out.scope("calibration"));
    fit_.statistics.save(out.scope("statistics"));
  }

 private:
  Scheme scheme_;
  Matrix<double> coefficients_;  // training items x two-class problems, factor of the Gram included
  std::vector<double> offsets_;
  CvResult fit_;
};

// Refuses values that are not finite.
void check_gram(MatrixView<const double> gram, const Labels& labels) {
  MUSTER_CHECK(gram.rows == gram.cols && gram.rows == labels.size());
  for (size_t i = 0; i < gram.rows; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      const double value = gram(i, j), mirrored = gram(j, i);
      if (!std::isfinite(value) || !std::isfinite(mirrored))
        throw data_error(
            "kernel-svm: the kernel value of training items {} and {} is not a finite number; look "
            "for NaN or infinite values in these items and leave them out",
            j, i);
      MUSTER_CHECK(std::abs(value - mirrored) <=
                   1e-6 * (std::abs(value) + std::abs(mirrored)) + 1e-12);
    }
  }
}

// What a loss does with the Gram. Decisions are in terms of the Gram as it was given.
class GramSolver {
 public:
  virtual ~GramSolver() = default;
  virtual int64_t path(const CvTask& task, MatrixView<double> decisions) const = 0;
  virtual SvmDecision train(const BinaryProblem& problem, double C, const Rng& rng) const = 0;
};

Costs scaled(Costs weights, double C) { return {weights.positive * C, weights.negative * C}; }

class HingeSolver final : public GramSolver {
 public:
  HingeSolver(const KernelSvmOptions& options, MatrixView<const double> gram)
      : options_(options), factor_(factor_of(gram)), gram_(gram, factor_) {}

  int64_t path(const CvTask& task, MatrixView<double> decisions) const override {
    for (size_t c = 0; c < task.grid.size(); ++c) {
      const SvmDecision svm =
          gram_.train(task.problem, scaled(task.weights, task.grid[c]), options_.tolerance);
      for (size_t j = 0; j < task.held_out.size(); ++j)
        decisions(c, j) = gram_.decision(task.held_out[j], svm);
    }
    return static_cast<int64_t>(task.grid.size());
  }

  SvmDecision train(const BinaryProblem& problem, double C, const Rng&) const override {
    const Costs weights = side_weights(problem, options_.class_weights);
    SvmDecision svm = gram_.train(problem, scaled(weights, C), options_.tolerance);
    for (double& coefficient : svm.coefficients) coefficient *= factor_;
    return svm;
  }

 private:
  static double factor_of(MatrixView<const double> gram) {
    double trace = 0;
    for (size_t i = 0; i < gram.rows; ++i) trace += gram(i, i);
    return trace > 0 ? static_cast<double>(gram.rows) / trace : 1;
  }

  const KernelSvmOptions& options_;
  double factor_;
  LibsvmGram gram_;
};

// With means m_i of the rows and m of all, K_ij - m_i - m_j + m are the dot products of the centred
// images; plus 1 for the bias, the whole divided by the mean diagonal before that.
class SquaredHingeSolver final : public GramSolver {
 public:
  SquaredHingeSolver(const KernelSvmOptions& options, MatrixView<const double> gram)
      : options_(options), row_means_(gram.rows), gram_(gram.rows, gram.rows) {
    const auto n = static_cast<double>(gram.rows);
    for (size_t i = 0; i < gram.rows; ++i) {
      for (const double value : gram.row(i)) row_means_[i] += value / n;
      mean_ += row_means_[i] / n;
    }
    double diagonal = 0;
    for (size_t i = 0; i < gram.rows; ++i) diagonal += (gram(i, i) - 2 * row_means_[i] + mean_) / n;
    factor_ = diagonal > 0 ? 1 / diagonal : 1;
    parallel_for(gram.rows, 16, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i)
        for (size_t j = 0; j < gram.rows; ++j)
          gram_(i, j) = static_cast<float>(
              factor_ * (gram(std::min(i, j), std::max(i, j)) - (row_means_[i] + row_means_[j]) + mean_) + 1);
    });
  }

  int64_t path(const CvTask& task, MatrixView<double> decisions) const override {
    return squared_hinge_path(gram_, options_.tolerance, task, decisions);
  }

  // sum_i b_i (k(x, i) - mean_j k(x, j) - m_i + m): coefficients b_i - mean b, and an offset.
  SvmDecision train(const BinaryProblem& problem, double C, const Rng& rng) const override {
    const size_t n = gram_.rows();
    DualSolution solution(n);
    squared_hinge_fit(gram_, problem, options_.class_weights, C, options_.tolerance, rng, solution);
    SvmDecision out;
    out.coefficients.resize(n);
    double total = 0;
    for (size_t i = 0; i < n; ++i) {
      const double signed_alpha = solution.alphas[i] * problem.targets[i];
      out.offset += signed_alpha;  // the bias: 1 in every kernel value
      out.coefficients[i] = factor_ * signed_alpha;
      total += out.coefficients[i];
    }
    for (size_t i = 0; i < n; ++i) out.offset -= out.coefficients[i] * (row_means_[i] - mean_);
    for (double& coefficient : out.coefficients) coefficient -= total / static_cast<double>(n);
    return out;
  }

 private:
  const KernelSvmOptions& options_;
  std::vector<double> row_means_;
  double mean_ = 0;
  double factor_ = 1;
  Matrix<float> gram_;
};

std::unique_ptr<GramSolver> make_solver(const KernelSvmOptions& options,
                                        MatrixView<const double> gram, const Labels& labels) {
  check_gram(gram, labels);
  if (options.loss == SvmLoss::kHinge) return std::make_unique<HingeSolver>(options, gram);
  return std::make_unique<SquaredHingeSolver>(options, gram);
}

double best_score(const CvResult& result) {
  double best = 0;
  for (const CvRow& row : result.statistics.table) best = std::max(best, row.score);
  return best;
}

}  // namespace

KernelChoice choose_kernel(const KernelSvmOptions& options,
                           const std::vector<MatrixView<const double>>& grams, const Labels& labels,
                           const Rng& rng, const Progress& progress) {
  OptionsOf<KernelSvmOptions>(options).validate("kernel-svm");
  MUSTER_CHECK(!grams.empty());
  const auto start = Clock::now();
  const auto problems = make_problems("kernel-svm", labels, options.scheme);
  CvOptions cv = options;
  cv.compare = grams.size() > 1;
  KernelChoice choice;
  int64_t trainings = 0;
  for (size_t g = 0; g < grams.size(); ++g) {
    const std::unique_ptr<GramSolver> solver = make_solver(options, grams[g], labels);
    CvResult result = cross_validate(
        cv, labels, problems,
        [&](const CvTask& task, MatrixView<double> decisions) {
          return solver->path(task, decisions);
        },
        rng.derive("cross-validation"), progress);
    trainings += result.statistics.iterations;
    choice.tables.push_back(result.statistics.table);
    if (g > 0 && best_score(result) <= best_score(choice.best)) continue;
    choice.index = g;
    choice.best = std::move(result);
  }
  choice.best.statistics.iterations = trainings;
  choice.best.statistics.seconds = seconds_since(start);
  return choice;
}

std::unique_ptr<Classifier> fit_kernel_svm(const KernelSvmOptions& options,
                                           const DefiniteGram& treated, const Labels& labels,
                                           const KernelChoice& choice, const Progress& progress) {
  const MatrixView<const double> gram = treated.gram();
  OptionsOf<KernelSvmOptions>(options).validate("kernel-svm");
  const auto start = Clock::now();
  const auto problems = make_problems("kernel-svm", labels, options.scheme);
  const std::unique_ptr<GramSolver> solver = make_solver(options, gram, labels);
  CvResult fit = choice.best;
  Matrix<double> coefficients(gram.rows, problems.size());
  std::vector<double> offsets(problems.size());
  ProgressStep step(progress, "training", problems.size());
  parallel_for(problems.size(), 1, [&](size_t begin, size_t end) {
    for (size_t p = begin; p < end; ++p) {
      if (problems[p].two_sided()) {
        // The stream only orders the visits of the solver, which ends at the same solution.
        SvmDecision svm = solver->train(problems[p], fit.statistics.C, Rng(0).derive(p));
        treated.fold_into(svm.coefficients);
        for (size_t i = 0; i < gram.rows; ++i) coefficients(i, p) = svm.coefficients[i];
        offsets[p] = svm.offset;
      } else {
        offsets[p] = one_sided_decision(problems[p]);
      }
      step.tick();
    }
  });
  fit.statistics.iterations += static_cast<int64_t>(problems.size());
  fit.statistics.seconds += seconds_since(start);
  fit.statistics.indefinite = treated.found();
  return std::make_unique<KernelSvm>(options.scheme, std::move(coefficients), std::move(offsets),
                                     std::move(fit));
}

std::unique_ptr<Classifier> fit_kernel_svm(const KernelSvmOptions& options,
                                           MatrixView<const double> gram, const Labels& labels,
                                           Rng rng, const Progress& progress) {
  const DefiniteGram treated(Matrix<double>(gram), options.indefinite);
  return fit_kernel_svm(options, treated, labels,
                        choose_kernel(options, {treated.gram()}, labels, rng, progress), progress);
}

std::unique_ptr<Classifier> load_kernel_svm(const KernelSvmOptions& options, TensorReader in) {
  CvResult fit{FitStatistics::load(in.scope("statistics")),
               Calibration::load(in.scope("calibration"))};
  Matrix<double> coefficients = in.matrix<double>("coefficients");
  std::vector<double> offsets = in.values<double>("offsets");
  in.require(coefficients.cols() == offsets.size(), "coefficients and offsets differ in number");
  in.require(offsets.size() == num_problems(fit.calibration.num_classes(), options.scheme,
                                            fit.calibration.multi_label()),
             "number of decision functions does not fit the number of classes and the scheme");
  return std::make_unique<KernelSvm>(options.scheme, std::move(coefficients), std::move(offsets),
                                     std::move(fit));
}

}  // namespace muster
