#include "muster/classify/klr.h"

#include "muster/classify/centred_gram.h"
#include "muster/classify/decision_classifier.h"
#include "muster/core/timer.h"

namespace muster {
namespace {

constexpr const char* kStage = "klr";

ScoreRule rule_of(const KlrOptions& options) {
  return {Scheme::kOneVsAll, options.logistic_scheme};
}

// The Gram as it is trained on, with its trainer.
struct Training {
  Training(const KlrOptions& options, MatrixView<const double> given, const Labels& labels)
      : gram((check_gram(kStage, given, labels), given)),
        newton(gram.rounded(), [this](MatrixView<const double> v,
                                      MatrixView<double> out) { gram.product(v, out); }),
        trainer(kStage, newton, labels, options.logistic_scheme, options.class_weights,
                {options.tolerance, options.max_steps}) {}
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  CentredGram gram;
  LogisticNewton newton;
  LogisticTrainer trainer;
};

}  // namespace

KernelChoice choose_klr_kernel(const KlrOptions& options,
                               const std::vector<MatrixView<const double>>& grams,
                               const GramOfFold& gram_of_fold, const Labels& labels, const Rng& rng,
                               const Progress& progress) {
  OptionsOf<KlrOptions>(options).validate(kStage);
  const Timer timer;
  CvOptions cv = options;
  cv.compare = true;
  cv.calibrate = false;
  KernelChoice choice =
      best_of_kernels(grams.size(), kernel_search(gram_of_fold, labels.size()), [&](size_t g) {
        const Training training(options, grams[g], labels);
        return cross_validate(
            cv, labels, training.trainer.num_problems(),
            [&](const CvFold& fold, std::span<Matrix<double>> decisions) {
              if (!gram_of_fold) return training.trainer.path(fold, decisions);
              return Training(options, gram_of_fold(g, fold.held_out), labels)
                  .trainer.path(fold, decisions);
            },
            rng.derive("cross-validation"), progress);
      });
  choice.best.statistics.seconds = timer.seconds();
  return choice;
}

std::unique_ptr<Classifier> fit_klr(const KlrOptions& options, const DefiniteGram& treated,
                                    const Labels& labels, const KernelChoice& choice,
                                    const Progress& progress) {
  OptionsOf<KlrOptions>(options).validate(kStage);
  const Timer timer;
  const Training training(options, treated.gram(), labels);
  const size_t n = labels.size(), count = training.trainer.num_problems();
  ProgressStep step(progress, "training", 1);
  const LogisticTrainer::Fit fitted = training.trainer.fit(choice.best.statistics.C);
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
  fit.statistics.seconds += timer.seconds();
  return make_classifier(rule_of(options), std::move(decisions), std::move(fit));
}

std::unique_ptr<Classifier> load_klr(const KlrOptions& options, const TensorReader& in) {
  return load_gram_classifier(rule_of(options), in);
}

}  // namespace muster
