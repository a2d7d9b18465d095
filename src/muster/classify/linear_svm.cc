#include "muster/classify/linear_svm.h"

#include <chrono>
#include <cmath>

#include "muster/classify/linear_training.h"
#include "muster/classify/squared_hinge.h"
#include "muster/core/parallel.h"
#include "muster/math/gemm.h"

namespace muster {
namespace {

constexpr size_t kTile = 256;

class LinearSvm final : public Classifier {
 public:
  LinearSvm(Scheme scheme, LinearDecisions decisions, CvResult fit)
      : scheme_(scheme), decisions_(std::move(decisions)), fit_(std::move(fit)) {}

  bool takes_gram() const override { return false; }
  int num_classes() const override { return fit_.calibration.num_classes(); }
  const FitStatistics* statistics() const override { return &fit_.statistics; }

  Matrix<double> scores(ConstMatrixView vectors) const override {
    return class_scores(decisions_.of(vectors), num_classes(), scheme_);
  }

  Matrix<double> probabilities(MatrixView<const double> scores) const override {
    return fit_.calibration.probabilities(scores);
  }

  void save(TensorWriter out) const override {
    decisions_.save(out);
    fit_.calibration.save(out.scope("calibration"));
    fit_.statistics.save(out.scope("statistics"));
  }

 private:
  Scheme scheme_;
  LinearDecisions decisions_;  // centre and scale of the training vectors included
  CvResult fit_;
};

class GramWay {
 public:
  GramWay(const LinearSvmOptions& options, ConstMatrixView vectors, double scale,
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
    ProgressStep step(progress, "training", count);
    std::vector<DualSolution> solutions =
        squared_hinge_starts(gram_, problems, options_.class_weights, C, options_.tolerance);
    parallel_for(count, 1, [&](size_t begin, size_t end) {
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
    for (const int64_t c : changes) out.iterations += c;
    parallel_for(vectors_.cols, kTile, [&](size_t begin, size_t end) {
      gemm_nn(coefficients, ConstMatrixView(vectors_.data + begin, n, end - begin, vectors_.stride),
              MatrixView<float>(out.decisions.weights.data() + begin, count, end - begin,
                                vectors_.cols));
    });
    return out;
  }

 private:
  const LinearSvmOptions& options_;
  ConstMatrixView vectors_;
  double scale_;
  Matrix<float> gram_;
};

template <class Way>
std::unique_ptr<Classifier> fit_by(const Way& way, const LinearSvmOptions& options,
                                   const Labels& labels, const std::vector<BinaryProblem>& problems,
                                   const std::vector<double>& mean, const Rng& rng,
                                   const Progress& progress,
                                   std::chrono::steady_clock::time_point start) {
  CvResult chosen = cross_validate(
      options, labels, problems,
      [&](const CvTask& task, MatrixView<double> decisions) { return way.path(task, decisions); },
      rng.derive("cross-validation"), progress);
  LinearFit fitted = way.fit(problems, chosen.statistics.C, rng.derive("fit"), progress);
  fold_mean(mean, fitted.decisions);
  chosen.statistics.iterations += fitted.iterations;
  chosen.statistics.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return std::make_unique<LinearSvm>(options.scheme, std::move(fitted.decisions),
                                     std::move(chosen));
}

}  // namespace

std::unique_ptr<Classifier> fit_linear_svm(const LinearSvmOptions& options, ConstMatrixView vectors,
                                           const Labels& labels, Rng rng,
                                           const Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  OptionsOf<LinearSvmOptions>(options).validate("linear-svm");
  MUSTER_CHECK(vectors.rows == labels.size());
  const std::vector<BinaryProblem> problems = make_problems("linear-svm", labels, options.scheme);
  const PreparedVectors prepared("linear-svm", vectors, options.centre);
  if (use_gram(options.solver, vectors.rows, vectors.cols))
    return fit_by(GramWay(options, prepared.view(), prepared.scale(), progress), options, labels,
                  problems, prepared.mean(), rng, progress, start);
  const PrimalOptions primal{PrimalLoss::kSquaredHinge, options.class_weights, options.bias,
                             options.tolerance};
  return fit_by(PrimalWay(primal, prepared), options, labels, problems, prepared.mean(), rng,
                progress, start);
}

std::unique_ptr<Classifier> load_linear_svm(const LinearSvmOptions& options, TensorReader in) {
  CvResult fit{FitStatistics::load(in.scope("statistics")),
               Calibration::load(in.scope("calibration"))};
  LinearDecisions decisions = LinearDecisions::load(
      in,
      num_problems(fit.calibration.num_classes(), options.scheme, fit.calibration.multi_label()));
  return std::make_unique<LinearSvm>(options.scheme, std::move(decisions), std::move(fit));
}

}  // namespace muster
