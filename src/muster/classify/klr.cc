#include "muster/classify/klr.h"

#include <chrono>

#include "muster/classify/centred_gram.h"
#include "muster/classify/decisions.h"

namespace muster {
namespace {

using Clock = std::chrono::steady_clock;
constexpr const char* kStage = "klr";

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Klr final : public Classifier {
 public:
  Klr(LogisticScheme scheme, GramDecisions decisions, CvResult fit)
      : scheme_(scheme), decisions_(std::move(decisions)), fit_(std::move(fit)) {}

  bool takes_gram() const override { return true; }
  int num_classes() const override { return fit_.calibration.num_classes(); }
  const FitStatistics* statistics() const override { return &fit_.statistics; }

  Matrix<double> scores_from_gram(MatrixView<const double> kernel_rows) const override {
    return class_scores(decisions_.of(kernel_rows), num_classes(), Scheme::kOneVsAll);
  }

  Matrix<double> probabilities(MatrixView<const double> scores) const override {
    return logistic_probabilities(scores, scheme_, fit_.calibration.multi_label());
  }

  void save(TensorWriter out) const override {
    decisions_.save(out);
    fit_.calibration.save(out.scope("calibration"));
    fit_.statistics.save(out.scope("statistics"));
  }

 private:
  LogisticScheme scheme_;
  GramDecisions decisions_;
  CvResult fit_;  // its calibration is the identity and only says how many classes there are
};

// The Gram as it is trained on, and the way to do it.
struct Training {
  Training(const KlrOptions& options, MatrixView<const double> given, const Labels& labels)
      : gram((check_gram(kStage, given, labels), given)),
        newton(gram.rounded(), [this](MatrixView<const double> v,
                                      MatrixView<double> out) { gram.product(v, out); }),
        way(kStage, newton, labels, options.logistic_scheme, options.class_weights,
            {options.tolerance, options.max_steps}) {}
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  CentredGram gram;
  LogisticNewton newton;
  LogisticWay way;
};

}  // namespace

KernelChoice choose_klr_kernel(const KlrOptions& options,
                               const std::vector<MatrixView<const double>>& grams,
                               const GramOfFold& gram_of_fold, const Labels& labels, const Rng& rng,
                               const Progress& progress) {
  OptionsOf<KlrOptions>(options).validate(kStage);
  const auto start = Clock::now();
  CvOptions cv = options;
  cv.compare = true;
  cv.calibrate = false;
  KernelChoice choice =
      best_of_kernels(grams.size(), kernel_search(gram_of_fold, labels.size()), [&](size_t g) {
        const Training training(options, grams[g], labels);
        return cross_validate(
            cv, labels, training.way.num_problems(),
            [&](const CvFold& fold, std::span<Matrix<double>> decisions) {
              if (!gram_of_fold) return training.way.path(fold, decisions);
              return Training(options, gram_of_fold(g, fold.held_out), labels)
                  .way.path(fold, decisions);
            },
            rng.derive("cross-validation"), progress);
      });
  choice.best.statistics.seconds = seconds_since(start);
  return choice;
}

std::unique_ptr<Classifier> fit_klr(const KlrOptions& options, const DefiniteGram& treated,
                                    const Labels& labels, const KernelChoice& choice,
                                    const Progress& progress) {
  OptionsOf<KlrOptions>(options).validate(kStage);
  const auto start = Clock::now();
  const Training training(options, treated.gram(), labels);
  const size_t n = labels.size(), count = training.way.num_problems();
  ProgressStep step(progress, "training", 1);
  const LogisticWay::Fit fitted = training.way.fit(choice.best.statistics.C);
  GramDecisions decisions{Matrix<double>(n, count), std::vector<double>(count)};
  for (size_t p = 0; p < count; ++p) {
    SvmDecision decision = training.gram.decision(fitted.coefficients.row(p));
    treated.fold_into(decision.coefficients);
    for (size_t i = 0; i < n; ++i) decisions.coefficients(i, p) = decision.coefficients[i];
    decisions.offsets[p] = decision.offset + fitted.constants[p];
  }
  step.tick();
  CvResult fit = choice.best;
  fit.statistics.iterations += fitted.products;
  fit.statistics.convergence = fitted.convergence;
  fit.statistics.indefinite = treated.found();
  fit.statistics.seconds += seconds_since(start);
  return std::make_unique<Klr>(options.logistic_scheme, std::move(decisions), std::move(fit));
}

std::unique_ptr<Classifier> load_klr(const KlrOptions& options, TensorReader in) {
  CvResult fit{FitStatistics::load(in.scope("statistics")),
               Calibration::load(in.scope("calibration"))};
  const int classes = fit.calibration.num_classes();
  const bool multinomial = options.logistic_scheme == LogisticScheme::kMultinomial;
  GramDecisions decisions = GramDecisions::load(
      in, multinomial ? static_cast<size_t>(classes)
                      : num_problems(classes, Scheme::kOneVsAll, fit.calibration.multi_label()));
  return std::make_unique<Klr>(options.logistic_scheme, std::move(decisions), std::move(fit));
}

}  // namespace muster
