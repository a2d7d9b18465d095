#include "muster/classify/logistic.h"

#include "muster/classify/decision_classifier.h"
#include "muster/core/timer.h"
#include "muster/math/gemm.h"
#include "muster/simd/vector_ops.h"

namespace muster {
namespace {

constexpr const char* kStage = "logistic";
constexpr double kBias = 1;
constexpr int kMaxSteps = 100;
constexpr ScoreRule kRule{Scheme::kOneVsAll, LogisticScheme::kOneVsAll};

// V G in double precision without G: (V X) X^T.
void exact_product(const PreparedVectors& prepared, MatrixView<const double> v,
                   MatrixView<double> out) {
  const ConstMatrixView x = prepared.view();
  const double factor = prepared.scale() * prepared.scale();
  for (size_t p = 0; p < v.rows; ++p) {
    std::vector<double> weights(x.cols);
    double sum = 0;
    for (size_t i = 0; i < x.rows; ++i) {
      if (v(p, i) == 0) continue;
      axpy(v(p, i), x.row(i), weights);
      sum += v(p, i);
    }
    for (size_t i = 0; i < x.rows; ++i)
      out(p, i) = factor * dot(x.row(i), weights) + sum * kBias * kBias;
  }
}

CvOptions cv_options(const LogisticOptions& options) {
  CvOptions cv = options;
  cv.compare = true;
  cv.calibrate = false;
  return cv;
}

CvResult fit_by_gram(const LogisticOptions& options, const PreparedVectors& prepared,
                     const Labels& labels, const Rng& rng, const Progress& progress,
                     LinearDecisions& decisions) {
  const ConstMatrixView x = prepared.view();
  const Matrix<float> gram = scaled_gram(x, prepared.scale(), kBias, progress);
  const LogisticNewton newton(gram, [&](MatrixView<const double> v, MatrixView<double> out) {
    exact_product(prepared, v, out);
  });
  const LogisticTrainer trainer(kStage, newton, labels, LogisticScheme::kOneVsAll,
                                options.class_weights, {options.tolerance, kMaxSteps});
  CvResult chosen = cross_validate(
      cv_options(options), labels, trainer.num_problems(),
      [&](const CvFold& fold, std::span<Matrix<double>> values) {
        return trainer.path(fold, values);
      },
      rng, progress);
  const LogisticTrainer::Fit fitted = trainer.fit(chosen.statistics.C);
  chosen.statistics.iterations += fitted.products;
  chosen.statistics.convergence = fitted.convergence;

  Matrix<float> coefficients(trainer.num_problems(), x.rows);
  decisions = {Matrix<float>(trainer.num_problems(), x.cols), fitted.constants};
  for (size_t p = 0; p < coefficients.rows(); ++p)
    for (size_t i = 0; i < x.rows; ++i) {
      decisions.offsets[p] += fitted.coefficients(p, i) * kBias * kBias;
      coefficients(p, i) =
          static_cast<float>(fitted.coefficients(p, i) * prepared.scale() * prepared.scale());
    }
  gemm_nn_parallel(coefficients, x, decisions.weights);
  return chosen;
}

CvResult fit_by_liblinear(const LogisticOptions& options, const PreparedVectors& prepared,
                          const Labels& labels, const std::vector<BinaryProblem>& problems,
                          const Rng& rng, const Progress& progress, LinearDecisions& decisions) {
  const PrimalTrainer trainer(
      {PrimalLoss::kLogistic, options.class_weights, kBias, options.tolerance}, prepared);
  CvResult chosen = cross_validate(
      cv_options(options), labels, problems,
      [&](const CvTask& task, MatrixView<double> values) { return trainer.path(task, values); },
      rng, progress);
  LinearFit fitted = trainer.fit(problems, chosen.statistics.C, rng, progress);
  chosen.statistics.iterations += fitted.iterations;
  decisions = std::move(fitted.decisions);
  return chosen;
}

}  // namespace

std::unique_ptr<Classifier> fit_logistic(const LogisticOptions& options, ConstMatrixView vectors,
                                         const Labels& labels, Rng rng, const Progress& progress) {
  const Timer timer;
  OptionsOf<LogisticOptions>(options).validate(kStage);
  MUSTER_CHECK(vectors.rows == labels.size());
  const std::vector<BinaryProblem> problems = make_problems(kStage, labels, Scheme::kOneVsAll);
  const PreparedVectors prepared(kStage, vectors, options.centre);
  const Rng stream = rng.derive("cross-validation");
  LinearDecisions decisions;
  CvResult chosen =
      use_gram(options.solver, vectors.rows, vectors.cols)
          ? fit_by_gram(options, prepared, labels, stream, progress, decisions)
          : fit_by_liblinear(options, prepared, labels, problems, stream, progress, decisions);
  fold_mean(prepared.mean(), decisions);
  chosen.statistics.seconds = timer.seconds();
  return make_classifier(kRule, std::move(decisions), std::move(chosen));
}

std::unique_ptr<Classifier> fit_logistic_sharded(const LogisticOptions& options,
                                                 ShardedVectors vectors, const Labels& labels,
                                                 Rng rng, const Progress& progress) {
  OptionsOf<LogisticOptions>(options).validate(kStage);
  const ShardedTraining how{
      kStage,
      kRule,
      {PrimalLoss::kLogistic, options.class_weights, kBias, options.tolerance},
      cv_options(options),
      options.centre};
  return fit_sharded(how, std::move(vectors), labels, rng.derive("cross-validation"), progress);
}

std::unique_ptr<Classifier> load_logistic(const LogisticOptions&, const TensorReader& in) {
  return load_linear_classifier(kRule, in);
}

}  // namespace muster
