#include "muster/classify/logistic.h"

#include <chrono>

#include "muster/classify/logistic_training.h"
#include "muster/core/parallel.h"
#include "muster/math/gemm.h"
#include "muster/simd/vector_ops.h"

namespace muster {
namespace {

constexpr const char* kStage = "logistic";
constexpr double kBias = 1;
constexpr int kMaxSteps = 100;
constexpr size_t kTile = 256;

class Logistic final : public Classifier {
 public:
  Logistic(LinearDecisions decisions, CvResult fit)
      : decisions_(std::move(decisions)), fit_(std::move(fit)) {}

  bool takes_gram() const override { return false; }
  int num_classes() const override { return fit_.calibration.num_classes(); }
  const FitStatistics* statistics() const override { return &fit_.statistics; }

  Matrix<double> scores(ConstMatrixView vectors) const override {
    return class_scores(decisions_.of(vectors), num_classes(), Scheme::kOneVsAll);
  }

  Matrix<double> probabilities(MatrixView<const double> scores) const override {
    return logistic_probabilities(scores, LogisticScheme::kOneVsAll,
                                  fit_.calibration.multi_label());
  }

  void save(TensorWriter out) const override {
    decisions_.save(out);
    fit_.calibration.save(out.scope("calibration"));
    fit_.statistics.save(out.scope("statistics"));
  }

 private:
  LinearDecisions decisions_;
  CvResult fit_;  // its calibration is the identity and only says how many classes there are
};

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
  const LogisticWay way(kStage, newton, labels, LogisticScheme::kOneVsAll, options.class_weights,
                        {options.tolerance, kMaxSteps});
  CvResult chosen = cross_validate(
      cv_options(options), labels, way.num_problems(),
      [&](const CvFold& fold, std::span<Matrix<double>> values) { return way.path(fold, values); },
      rng, progress);
  const LogisticWay::Fit fitted = way.fit(chosen.statistics.C);
  chosen.statistics.iterations += fitted.products;
  chosen.statistics.convergence = fitted.convergence;

  Matrix<float> coefficients(way.num_problems(), x.rows);
  decisions = {Matrix<float>(way.num_problems(), x.cols), fitted.constants};
  for (size_t p = 0; p < coefficients.rows(); ++p)
    for (size_t i = 0; i < x.rows; ++i) {
      decisions.offsets[p] += fitted.coefficients(p, i) * kBias * kBias;
      coefficients(p, i) =
          static_cast<float>(fitted.coefficients(p, i) * prepared.scale() * prepared.scale());
    }
  parallel_for(x.cols, kTile, [&](size_t begin, size_t end) {
    gemm_nn(coefficients, ConstMatrixView(x.data + begin, x.rows, end - begin, x.stride),
            MatrixView<float>(decisions.weights.data() + begin, coefficients.rows(), end - begin,
                              x.cols));
  });
  return chosen;
}

CvResult fit_by_liblinear(const LogisticOptions& options, const PreparedVectors& prepared,
                          const Labels& labels, const std::vector<BinaryProblem>& problems,
                          const Rng& rng, const Progress& progress, LinearDecisions& decisions) {
  const PrimalWay way({PrimalLoss::kLogistic, options.class_weights, kBias, options.tolerance},
                      prepared);
  CvResult chosen = cross_validate(
      cv_options(options), labels, problems,
      [&](const CvTask& task, MatrixView<double> values) { return way.path(task, values); }, rng,
      progress);
  LinearFit fitted = way.fit(problems, chosen.statistics.C, rng, progress);
  chosen.statistics.iterations += fitted.iterations;
  decisions = std::move(fitted.decisions);
  return chosen;
}

}  // namespace

std::unique_ptr<Classifier> fit_logistic(const LogisticOptions& options, ConstMatrixView vectors,
                                         const Labels& labels, Rng rng, const Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
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
  chosen.statistics.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return std::make_unique<Logistic>(std::move(decisions), std::move(chosen));
}

std::unique_ptr<Classifier> load_logistic(const LogisticOptions&, TensorReader in) {
  CvResult fit{FitStatistics::load(in.scope("statistics")),
               Calibration::load(in.scope("calibration"))};
  LinearDecisions decisions =
      LinearDecisions::load(in, num_problems(fit.calibration.num_classes(), Scheme::kOneVsAll,
                                             fit.calibration.multi_label()));
  return std::make_unique<Logistic>(std::move(decisions), std::move(fit));
}

}  // namespace muster
