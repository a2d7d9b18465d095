#include "muster/classify/kernel_svm.h"

#include <chrono>
#include <cmath>

#include "muster/classify/libsvm_gram.h"
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

// 1 / mean diagonal; refuses values that are not finite.
double diagonal_factor(MatrixView<const double> gram, const Labels& labels) {
  MUSTER_CHECK(gram.rows == gram.cols && gram.rows == labels.size());
  double trace = 0;
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
    trace += gram(i, i);
  }
  return trace > 0 ? static_cast<double>(gram.rows) / trace : 1;
}

Costs scaled(Costs weights, double C) { return {weights.positive * C, weights.negative * C}; }

int64_t path(const LibsvmGram& gram, double tolerance, const CvTask& task,
             MatrixView<double> decisions) {
  for (size_t c = 0; c < task.grid.size(); ++c) {
    const SvmDecision svm = gram.train(task.problem, scaled(task.weights, task.grid[c]), tolerance);
    for (size_t j = 0; j < task.held_out.size(); ++j)
      decisions(c, j) = gram.decision(task.held_out[j], svm);
  }
  return static_cast<int64_t>(task.grid.size());
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
  CvOptions cv{options.C, options.folds, options.scheme, options.class_weights, options.calibrate};
  cv.compare = grams.size() > 1;
  KernelChoice choice;
  int64_t trainings = 0;
  for (size_t g = 0; g < grams.size(); ++g) {
    const LibsvmGram gram(grams[g], diagonal_factor(grams[g], labels));
    CvResult result = cross_validate(
        cv, labels, problems,
        [&](const CvTask& task, MatrixView<double> decisions) {
          return path(gram, options.tolerance, task, decisions);
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
                                           MatrixView<const double> gram, const Labels& labels,
                                           const KernelChoice& choice, const Progress& progress) {
  OptionsOf<KernelSvmOptions>(options).validate("kernel-svm");
  const auto start = Clock::now();
  const auto problems = make_problems("kernel-svm", labels, options.scheme);
  const double factor = diagonal_factor(gram, labels);
  const LibsvmGram shared(gram, factor);
  CvResult fit = choice.best;
  Matrix<double> coefficients(gram.rows, problems.size());
  std::vector<double> offsets(problems.size());
  ProgressStep step(progress, "training", problems.size());
  parallel_for(problems.size(), 1, [&](size_t begin, size_t end) {
    for (size_t p = begin; p < end; ++p) {
      if (problems[p].two_sided()) {
        const Costs weights = side_weights(problems[p], options.class_weights);
        const SvmDecision svm =
            shared.train(problems[p], scaled(weights, fit.statistics.C), options.tolerance);
        for (size_t i = 0; i < gram.rows; ++i) coefficients(i, p) = factor * svm.coefficients[i];
        offsets[p] = svm.offset;
      } else {
        offsets[p] = one_sided_decision(problems[p]);
      }
      step.tick();
    }
  });
  fit.statistics.iterations += static_cast<int64_t>(problems.size());
  fit.statistics.seconds += seconds_since(start);
  return std::make_unique<KernelSvm>(options.scheme, std::move(coefficients), std::move(offsets),
                                     std::move(fit));
}

std::unique_ptr<Classifier> fit_kernel_svm(const KernelSvmOptions& options,
                                           MatrixView<const double> gram, const Labels& labels,
                                           Rng rng, const Progress& progress) {
  return fit_kernel_svm(options, gram, labels,
                        choose_kernel(options, {gram}, labels, rng, progress), progress);
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
