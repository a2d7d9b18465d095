#include "muster/classify/decision_classifier.h"

namespace muster {
namespace {

template <class Decisions>
class DecisionClassifier final : public Classifier {
 public:
  DecisionClassifier(ScoreRule rule, Decisions decisions, CvResult fit)
      : rule_(rule), decisions_(std::move(decisions)), fit_(std::move(fit)) {}

  bool takes_gram() const override { return std::is_same_v<Decisions, GramDecisions>; }
  int num_classes() const override { return fit_.calibration.num_classes(); }
  size_t num_inputs() const override {
    if constexpr (std::is_same_v<Decisions, GramDecisions>)
      return decisions_.coefficients.rows();
    else
      return decisions_.weights.cols();
  }
  const FitStatistics* statistics() const override { return &fit_.statistics; }
  std::unique_ptr<Classifier> judged_by(const HeldOutScores& held_out) const override {
    CvResult fit = fit_;
    judge_by(held_out, fit.statistics);
    if (!rule_.logistic) fit.calibration = Calibration::fit(held_out.scores, held_out.labels);
    return std::make_unique<DecisionClassifier>(rule_, decisions_, std::move(fit));
  }

  Matrix<double> scores(ConstMatrixView vectors) const override {
    if constexpr (std::is_same_v<Decisions, LinearDecisions>)
      return class_scores(decisions_.of(vectors), num_classes(), rule_.scheme);
    else
      return Classifier::scores(vectors);
  }

  Matrix<double> scores_from_gram(MatrixView<const double> kernel_rows) const override {
    if constexpr (std::is_same_v<Decisions, GramDecisions>)
      return class_scores(decisions_.of(kernel_rows), num_classes(), rule_.scheme);
    else
      return Classifier::scores_from_gram(kernel_rows);
  }

  std::optional<LinearScore> linear_score(int c) const override {
    if (rule_.scheme != Scheme::kOneVsAll) return std::nullopt;
    // Two classes share one decision.
    const bool negated = decisions_.offsets.size() == 1 && c == 1;
    const size_t problem = negated ? 0 : static_cast<size_t>(c);
    LinearScore out{std::vector<double>(num_inputs()), decisions_.offsets[problem]};
    for (size_t i = 0; i < out.weights.size(); ++i) {
      if constexpr (std::is_same_v<Decisions, GramDecisions>)
        out.weights[i] = decisions_.coefficients(i, problem);
      else
        out.weights[i] = decisions_.weights(problem, i);
    }
    if (!negated) return out;
    out.offset = -out.offset;
    for (double& weight : out.weights) weight = -weight;
    return out;
  }

  Matrix<double> probabilities(MatrixView<const double> scores) const override {
    if (rule_.logistic)
      return logistic_probabilities(scores, *rule_.logistic, fit_.calibration.multi_label());
    return fit_.calibration.probabilities(scores);
  }

  void save(const TensorWriter& out) const override {
    decisions_.save(out);
    fit_.calibration.save(out.scope("calibration"));
    fit_.statistics.save(out.scope("statistics"));
  }

 private:
  ScoreRule rule_;
  Decisions decisions_;  // centre and scale of the training items included
  CvResult fit_;
};

template <class Decisions>
std::unique_ptr<Classifier> load(ScoreRule rule, const TensorReader& in) {
  CvResult fit{FitStatistics::load(in.scope("statistics")),
               Calibration::load(in.scope("calibration"))};
  const int classes = fit.calibration.num_classes();
  // The joint problem has a decision per class even if there are two.
  const size_t count = rule.logistic == LogisticScheme::kMultinomial
                           ? static_cast<size_t>(classes)
                           : num_problems(classes, rule.scheme, fit.calibration.multi_label());
  return make_classifier(rule, Decisions::load(in, count), std::move(fit));
}

}  // namespace

std::unique_ptr<Classifier> make_classifier(ScoreRule rule, LinearDecisions decisions,
                                            CvResult fit) {
  return std::make_unique<DecisionClassifier<LinearDecisions>>(rule, std::move(decisions),
                                                               std::move(fit));
}

std::unique_ptr<Classifier> make_classifier(ScoreRule rule, GramDecisions decisions, CvResult fit) {
  return std::make_unique<DecisionClassifier<GramDecisions>>(rule, std::move(decisions),
                                                             std::move(fit));
}

std::unique_ptr<Classifier> load_linear_classifier(ScoreRule rule, const TensorReader& in) {
  return load<LinearDecisions>(rule, in);
}

std::unique_ptr<Classifier> load_gram_classifier(ScoreRule rule, const TensorReader& in) {
  return load<GramDecisions>(rule, in);
}

}  // namespace muster
