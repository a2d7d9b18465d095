#include "muster/classify/kernel_svm.h"

#include "muster/classify/centred_gram.h"
#include "muster/classify/decision_classifier.h"
#include "muster/classify/squared_hinge.h"
#include "muster/cluster/shared_for.h"
#include "muster/core/timer.h"
#include "muster/solve/libsvm_gram.h"

namespace muster {
namespace {

// What a loss does with the Gram. Decisions are in terms of the Gram as it was given.
class GramSolver {
 public:
  virtual ~GramSolver() = default;
  virtual int64_t path(const CvTask& task, MatrixView<double> decisions) const = 0;
  virtual SvmDecision train(const BinaryProblem& problem, double C, const Rng& rng) const = 0;
};

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

class SquaredHingeSolver final : public GramSolver {
 public:
  SquaredHingeSolver(const KernelSvmOptions& options, MatrixView<const double> gram)
      : options_(options), gram_(gram) {}

  int64_t path(const CvTask& task, MatrixView<double> decisions) const override {
    return squared_hinge_path(gram_.rounded(), options_.tolerance, task, decisions);
  }

  SvmDecision train(const BinaryProblem& problem, double C, const Rng& rng) const override {
    DualSolution solution(gram_.size());
    squared_hinge_fit(gram_.rounded(), problem, options_.class_weights, C, options_.tolerance, rng,
                      solution);
    std::vector<double> signed_alphas(gram_.size());
    for (size_t i = 0; i < signed_alphas.size(); ++i)
      signed_alphas[i] = solution.alphas[i] * problem.targets[i];
    return gram_.decision(signed_alphas);
  }

 private:
  const KernelSvmOptions& options_;
  CentredGram gram_;
};

std::unique_ptr<GramSolver> make_solver(const KernelSvmOptions& options,
                                        MatrixView<const double> gram, const Labels& labels) {
  check_gram("kernel-svm", gram, labels);
  if (options.loss == SvmLoss::kHinge) return std::make_unique<HingeSolver>(options, gram);
  return std::make_unique<SquaredHingeSolver>(options, gram);
}

}  // namespace

KernelChoice choose_kernel(const KernelSvmOptions& options,
                           const std::vector<MatrixView<const double>>& grams,
                           const GramOfFold& gram_of_fold, const Labels& labels, const Rng& rng,
                           const Progress& progress) {
  OptionsOf<KernelSvmOptions>(options).validate("kernel-svm");
  MUSTER_CHECK(!grams.empty());
  const Timer timer;
  const auto problems = make_problems("kernel-svm", labels, options.scheme);
  CvOptions cv = options;
  cv.compare = grams.size() > 1;
  const KernelSearch search =
      options.all_widths ? KernelSearch::kAll : kernel_search(gram_of_fold, labels.size());
  KernelChoice choice = best_of_kernels(grams.size(), search, [&](size_t g) {
    std::shared_ptr<const GramSolver> of_all;
    if (!gram_of_fold) of_all = make_solver(options, grams[g], labels);
    return cross_validate(
        cv, labels, problems,
        [&](const CvFold& fold) -> PathSolver {
          auto gram = std::make_shared<Matrix<double>>();
          std::shared_ptr<const GramSolver> solver = of_all;
          if (!solver) {
            *gram = gram_of_fold(g, fold.held_out);
            solver = make_solver(options, *gram, labels);
          }
          return [gram, solver](const CvTask& task, MatrixView<double> decisions) {
            return solver->path(task, decisions);
          };
        },
        rng.derive("cross-validation"), progress);
  });
  choice.best.statistics.seconds = timer.seconds();
  return choice;
}

std::unique_ptr<Classifier> fit_kernel_svm(const KernelSvmOptions& options,
                                           const DefiniteGram& treated, const Labels& labels,
                                           const KernelChoice& choice, const Progress& progress) {
  const MatrixView<const double> gram = treated.gram();
  OptionsOf<KernelSvmOptions>(options).validate("kernel-svm");
  const Timer timer;
  const auto problems = make_problems("kernel-svm", labels, options.scheme);
  const std::unique_ptr<GramSolver> solver = make_solver(options, gram, labels);
  CvResult fit = choice.best;
  GramDecisions decisions{Matrix<double>(gram.rows, problems.size()),
                          std::vector<double>(problems.size())};
  ProgressStep step(progress, "training", units_with_sending(problems.size()));
  const SharedRows coefficients = [&](size_t p) {
    return shared_bytes(MatrixView<double>(&decisions.coefficients(0, p), gram.rows, 1,
                                           decisions.coefficients.cols()));
  };
  shared_for(problems.size(), 1, {coefficients, rows_of(decisions.offsets)},
             [&](size_t begin, size_t end) {
               for (size_t p = begin; p < end; ++p) {
                 if (problems[p].two_sided()) {
                   // The stream only orders the visits of the solver, which ends at the same
                   // solution.
                   SvmDecision svm = solver->train(problems[p], fit.statistics.C, Rng(0).derive(p));
                   treated.fold_into(svm.coefficients);
                   for (size_t i = 0; i < gram.rows; ++i)
                     decisions.coefficients(i, p) = svm.coefficients[i];
                   decisions.offsets[p] = svm.offset;
                 } else {
                   decisions.offsets[p] = one_sided_decision(problems[p]);
                 }
                 step.tick();
               }
             });
  if (divides_here()) step.tick();
  fit.statistics.iterations += static_cast<int64_t>(problems.size());
  fit.statistics.seconds += timer.seconds();
  fit.statistics.indefinite = treated.found();
  return make_classifier({options.scheme, {}}, std::move(decisions), std::move(fit));
}

std::unique_ptr<Classifier> fit_kernel_svm(const KernelSvmOptions& options,
                                           MatrixView<const double> gram, const Labels& labels,
                                           Rng rng, const Progress& progress) {
  const DefiniteGram treated(Matrix<double>(gram), options.indefinite, "kernel-svm");
  return fit_kernel_svm(options, treated, labels,
                        choose_kernel(options, {treated.gram()}, {}, labels, rng, progress),
                        progress);
}

std::unique_ptr<Classifier> load_kernel_svm(const KernelSvmOptions& options,
                                            const TensorReader& in) {
  return load_gram_classifier({options.scheme, {}}, in);
}

}  // namespace muster
