#include "muster/classify/linear_svm.h"

#include "muster/classify/decision_classifier.h"
#include "muster/classify/squared_hinge.h"
#include "muster/cluster/shared_for.h"
#include "muster/core/timer.h"
#include "muster/math/gemm.h"

namespace muster {
namespace {

// Through the Gram matrix of the items.
class GramTrainer {
 public:
  GramTrainer(const LinearSvmOptions& options, ConstMatrixView vectors, double scale,
              const Progress& progress)
      : options_(options),
        vectors_(vectors),
        scale_(scale),
        gram_(scaled_gram(vectors, scale, options.bias, progress)) {}

  int64_t path(const CvTask& task, MatrixView<double> decisions) const {
    return squared_hinge_path(gram_, options_.tolerance, task, decisions);
  }

  LinearFit fit(const std::vector<BinaryProblem>& problems, double C, const Rng& rng,
                const Progress& progress) const {
    const size_t n = gram_.rows(), count = problems.size();
    Matrix<float> coefficients(count, n);
    LinearFit out{{Matrix<float>(count, vectors_.cols), std::vector<double>(count)}, 0};
    std::vector<int64_t> changes(count);
    ProgressStep step(progress, "training", units_with_sending(count));
    std::vector<DualSolution> solutions =
        squared_hinge_starts(gram_, problems, options_.class_weights, C, options_.tolerance);
    shared_for(count, 1, {rows_of(coefficients), rows_of(out.decisions.offsets), rows_of(changes)},
               [&](size_t begin, size_t end) {
                 for (size_t p = begin; p < end; ++p) {
                   if (problems[p].two_sided()) {
                     DualSolution& solution = solutions[p];
                     changes[p] = squared_hinge_fit(gram_, problems[p], options_.class_weights, C,
                                                    options_.tolerance, rng.derive(p), solution);
                     for (size_t i = 0; i < n; ++i) {
                       const double signed_alpha = solution.alphas[i] * problems[p].targets[i];
                       out.decisions.offsets[p] += signed_alpha * options_.bias * options_.bias;
                       coefficients(p, i) = static_cast<float>(signed_alpha * scale_ * scale_);
                     }
                   } else {
                     out.decisions.offsets[p] = one_sided_decision(problems[p]);
                   }
                   step.tick();
                 }
               });
    if (divides_here()) step.tick();
    for (const int64_t c : changes) out.iterations += c;
    gemm_nn_parallel(coefficients, vectors_, out.decisions.weights);
    return out;
  }

 private:
  const LinearSvmOptions& options_;
  ConstMatrixView vectors_;
  double scale_;
  Matrix<float> gram_;
};

template <class Trainer>
std::unique_ptr<Classifier> fit_by(const Trainer& trainer, const LinearSvmOptions& options,
                                   const Labels& labels, const std::vector<BinaryProblem>& problems,
                                   const std::vector<double>& mean, const Rng& rng,
                                   const Progress& progress, const Timer& timer) {
  CvResult chosen = cross_validate(
      options, labels, problems,
      [&](const CvTask& task, MatrixView<double> decisions) {
        return trainer.path(task, decisions);
      },
      rng.derive("cross-validation"), progress);
  LinearFit fitted = trainer.fit(problems, chosen.statistics.C, rng.derive("fit"), progress);
  fold_mean(mean, fitted.decisions);
  chosen.statistics.iterations += fitted.iterations;
  chosen.statistics.seconds = timer.seconds();
  return make_classifier({options.scheme, {}}, std::move(fitted.decisions), std::move(chosen));
}

}  // namespace

std::unique_ptr<Classifier> fit_linear_svm(const LinearSvmOptions& options, ConstMatrixView vectors,
                                           const Labels& labels, Rng rng,
                                           const Progress& progress) {
  const Timer timer;
  OptionsOf<LinearSvmOptions>(options).validate("linear-svm");
  MUSTER_CHECK(vectors.rows == labels.size());
  const std::vector<BinaryProblem> problems = make_problems("linear-svm", labels, options.scheme);
  const PreparedVectors prepared("linear-svm", vectors, options.centre);
  if (use_gram(options.solver, vectors.rows, vectors.cols))
    return fit_by(GramTrainer(options, prepared.view(), prepared.scale(), progress), options,
                  labels, problems, prepared.mean(), rng, progress, timer);
  const PrimalOptions primal{PrimalLoss::kSquaredHinge, options.class_weights, options.bias,
                             options.tolerance};
  return fit_by(PrimalTrainer(primal, prepared), options, labels, problems, prepared.mean(), rng,
                progress, timer);
}

std::unique_ptr<Classifier> fit_linear_svm_sharded(const LinearSvmOptions& options,
                                                   ShardedVectors vectors, const Labels& labels,
                                                   Rng rng, const Progress& progress) {
  OptionsOf<LinearSvmOptions>(options).validate("linear-svm");
  const ShardedTraining how{
      "linear-svm",
      {options.scheme, {}},
      {PrimalLoss::kSquaredHinge, options.class_weights, options.bias, options.tolerance},
      options,
      options.centre};
  return fit_sharded(how, std::move(vectors), labels, rng.derive("cross-validation"), progress);
}

std::unique_ptr<Classifier> load_linear_svm(const LinearSvmOptions& options,
                                            const TensorReader& in) {
  return load_linear_classifier({options.scheme, {}}, in);
}

}  // namespace muster
