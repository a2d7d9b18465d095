#include "muster/baselines/naive_bayes.h"

#include <cmath>

#include "muster/classify/decision_classifier.h"
#include "muster/classify/linear_training.h"
#include "muster/core/timer.h"
#include "muster/simd/vector_ops.h"

namespace muster {
namespace {

constexpr const char* kStage = "naive-bayes";
constexpr const char* kParameter = "smoothing";
constexpr double kGrid[] = {0.01, 0.1, 1, 10, 100};
constexpr double kUnchosen = 1;  // without folds
constexpr ScoreRule kRule{Scheme::kOneVsAll, std::nullopt};

// The items of one side of a problem: their number and the sum of their histograms.
struct Side {
  explicit Side(size_t words) : words(words) {}
  void add(std::span<const float> histogram) {
    items += 1;
    axpy(1, histogram, words);
  }
  void subtract(const Side& other) {
    items -= other.items;
    for (size_t w = 0; w < words.size(); ++w) words[w] = std::max(0.0, words[w] - other.words[w]);
  }
  // log P(w | side).
  std::vector<double> log_shares(double smoothing, double length) const {
    double total = 0;
    std::vector<double> out(words.size());
    for (size_t w = 0; w < out.size(); ++w) total += out[w] = smoothing + length * words[w];
    for (double& value : out) value = std::log(value / total);
    return out;
  }

  double items = 0;
  std::vector<double> words;
};

// A side per class, or two per label: with it and without it.
class Counts {
 public:
  Counts(const Labels& labels, size_t num_words)
      : labels_(&labels),
        several_(!labels.single_label()),
        sides_(static_cast<size_t>(labels.num_classes()) * (several_ ? 2 : 1), Side(num_words)) {}

  void add(size_t item, std::span<const float> histogram) {
    for (int label = 0; label < labels_->num_classes(); ++label) {
      const int target = labels_->target(item, label);
      const auto l = static_cast<size_t>(label);
      if (target == 1)
        sides_[several_ ? 2 * l : l].add(histogram);
      else if (several_ && target == -1)
        sides_[2 * l + 1].add(histogram);
    }
  }
  void subtract(const Counts& other) {
    for (size_t s = 0; s < sides_.size(); ++s) sides_[s].subtract(other.sides_[s]);
  }

  // Decisions as make_problems numbers them: one per class or label, of two classes one.
  LinearDecisions decisions(double smoothing, double length) const {
    const auto prior = [&](const Side& side, double all, double sides) {
      return std::log((side.items + 1) / (all + sides)) / length;
    };
    std::vector<std::vector<double>> shares;
    for (const Side& side : sides_) shares.push_back(side.log_shares(smoothing, length));
    if (several_) {
      LinearDecisions out = empty(sides_.size() / 2);
      for (size_t l = 0; l < out.offsets.size(); ++l) {
        const Side &with = sides_[2 * l], &without = sides_[2 * l + 1];
        const double all = with.items + without.items;
        set(out, l, shares[2 * l], shares[2 * l + 1], prior(with, all, 2) - prior(without, all, 2));
      }
      return out;
    }
    double all = 0;
    for (const Side& side : sides_) all += side.items;
    const auto classes = static_cast<double>(sides_.size());
    if (sides_.size() == 2) {
      LinearDecisions out = empty(1);
      set(out, 0, shares[0], shares[1], prior(sides_[0], all, 2) - prior(sides_[1], all, 2));
      return out;
    }
    // What all classes have in common changes no decision, and without it single precision will do.
    std::vector<double> common(shares[0].size());
    for (const std::vector<double>& one : shares)
      for (size_t w = 0; w < common.size(); ++w) common[w] += one[w] / classes;
    LinearDecisions out = empty(sides_.size());
    for (size_t c = 0; c < sides_.size(); ++c)
      set(out, c, shares[c], common, prior(sides_[c], all, classes));
    return out;
  }

 private:
  LinearDecisions empty(size_t count) const {
    return {Matrix<float>(count, sides_[0].words.size()), std::vector<double>(count)};
  }
  static void set(LinearDecisions& out, size_t row, const std::vector<double>& plus,
                  const std::vector<double>& minus, double offset) {
    for (size_t w = 0; w < plus.size(); ++w)
      out.weights(row, w) = static_cast<float>(plus[w] - minus[w]);
    out.offsets[row] = offset;
  }

  const Labels* labels_;
  bool several_;
  std::vector<Side> sides_;
};

void require_counts(ConstMatrixView vectors) {
  require_finite_rows(kStage, vectors);
  for (size_t i = 0; i < vectors.rows; ++i)
    for (const float value : vectors.row(i))
      if (value < 0)
        throw data_error(
            "{}: the vector of training item {} has the value {}, and counts are never negative; "
            "use it after bow, kernel-codebook or gmm-bow, or take linear-svm",
            kStage, i, value);
}

CvResult without_folds(const NaiveBayesOptions& options, const Labels& labels) {
  CvResult out{{}, Calibration::identity(labels.num_classes(), !labels.single_label())};
  out.statistics.parameter = kParameter;
  out.statistics.C = options.smoothing.value_or(kUnchosen);
  return out;
}

// Each fold's counts are those of all items without its own.
CvResult cross_validate_smoothing(const NaiveBayesOptions& options, ConstMatrixView vectors,
                                  const Labels& labels, const Counts& all, const Rng& rng) {
  const int folds = usable_folds(labels, options.folds);
  if (folds == 0) return without_folds(options, labels);
  const std::vector<int> fold_of = stratified_folds(labels, folds, rng.derive("folds"));
  std::vector<TriedValue> tried;
  for (const double value : kGrid)
    if (!options.smoothing || tried.empty())
      tried.push_back({options.smoothing.value_or(value),
                       Matrix<double>(labels.size(), labels.class_names.size())});
  for (int fold = 0; fold < folds; ++fold) {
    std::vector<size_t> held_out;
    Counts own(labels, vectors.cols), rest = all;
    for (size_t i = 0; i < labels.size(); ++i)
      if (fold_of[i] == fold) {
        held_out.push_back(i);
        own.add(i, vectors.row(i));
      }
    rest.subtract(own);
    const Matrix<float> asked = select_rows(vectors, held_out);
    for (TriedValue& one : tried) {
      const Matrix<double> scores = class_scores(
          rest.decisions(one.value, options.length).of(asked), labels.num_classes(), kRule.scheme);
      for (size_t j = 0; j < held_out.size(); ++j)
        std::ranges::copy(scores.row(j), one.scores.row(held_out[j]).begin());
    }
  }
  return best_of_values(kParameter, tried, labels, folds);
}

}  // namespace

std::unique_ptr<Classifier> fit_naive_bayes(const NaiveBayesOptions& options,
                                            ConstMatrixView vectors, const Labels& labels, Rng rng,
                                            const Progress&) {
  const Timer timer;
  OptionsOf<NaiveBayesOptions>(options).validate(kStage);
  MUSTER_CHECK(vectors.rows == labels.size());
  make_problems(kStage, labels, kRule.scheme);  // refuses labels of one class
  require_counts(vectors);
  Counts counts(labels, vectors.cols);
  for (size_t i = 0; i < labels.size(); ++i) counts.add(i, vectors.row(i));
  CvResult fit = cross_validate_smoothing(options, vectors, labels, counts, rng);
  LinearDecisions decisions = counts.decisions(fit.statistics.C, options.length);
  fit.statistics.seconds = timer.seconds();
  return make_classifier(kRule, std::move(decisions), std::move(fit));
}

std::unique_ptr<Classifier> load_naive_bayes(const NaiveBayesOptions&, const TensorReader& in) {
  return load_linear_classifier(kRule, in);
}

}  // namespace muster
