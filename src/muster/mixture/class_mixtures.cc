#include "muster/mixture/class_mixtures.h"

#include <cmath>
#include <optional>

#include "muster/core/parallel.h"
#include "muster/evaluate/ranking.h"
#include "muster/math/gemm.h"

namespace muster {
namespace {

constexpr double kLeastWeight = 1e-12;

double num_vectors(std::span<const double> sums, size_t num_components) {
  double total = 0;
  for (size_t m = 0; m < num_components; ++m) total += sums[m * (sums.size() / num_components)];
  return total;
}

// Sums of a class -> its row of shifts (adapt.h's formulas for weights and means).
void adapt_class(std::span<const double> sums, const std::vector<double>& weights, double tau,
                 std::span<double> shifts) {
  const size_t k = weights.size(), width = sums.size() / k;
  const double prior = static_cast<double>(k) * tau;
  const double total = std::max(num_vectors(sums, k), 0.0) + prior;
  for (size_t m = 0; m < k; ++m) {
    const std::span<const double> from = sums.subspan(m * width, width);
    const std::span<double> to = shifts.subspan(m * width, width);
    // Subtraction may leave a count below zero by a rounding error.
    const double count = std::max(from[0], 0.0);
    double squared = 0;
    for (size_t t = 1; t < width; ++t) {
      to[t] = from[t] / (count + tau);
      squared += to[t] * to[t];
    }
    to[0] = std::log((count / std::max(weights[m], kLeastWeight) + prior) / total) - 0.5 * squared;
  }
}

// The score of each set of sums (one row each) with each class, on average over the set's vectors.
Matrix<double> scores_of(const Matrix<double>& sums, const Matrix<double>& shifts,
                         size_t num_components) {
  Matrix<double> out(sums.rows(), shifts.rows());
  gemm_nt(sums.view(), shifts.view(), out.view());
  for (size_t i = 0; i < out.rows(); ++i) {
    const double count = num_vectors(sums.row(i), num_components);
    for (double& score : out.row(i)) score = count > 0 ? score / count : 0;
  }
  return out;
}

Matrix<double> to_double(ConstMatrixView values) {
  Matrix<double> out(values.rows, values.cols);
  for (size_t i = 0; i < values.rows; ++i) std::ranges::copy(values.row(i), out.row(i).begin());
  return out;
}

// Classes with at least one vector, in their order.
class ClassSums {
 public:
  ClassSums(const Matrix<float>& items, const Labels& labels, size_t num_components)
      : row_of_class_(static_cast<size_t>(labels.num_classes())) {
    Matrix<double> all(row_of_class_.size(), items.cols());
    for (size_t i = 0; i < items.rows(); ++i)
      for (const int label : labels.of_item[i]) {
        const std::span<double> sum = all.row(static_cast<size_t>(label));
        for (size_t t = 0; t < sum.size(); ++t) sum[t] += items(i, t);
      }
    std::vector<size_t> used;
    for (size_t c = 0; c < all.rows(); ++c) {
      if (num_vectors(all.row(c), num_components) <= 0) continue;
      row_of_class_[c] = used.size();
      used.push_back(c);
    }
    sums_ = Matrix<double>(used.size(), all.cols());
    for (size_t r = 0; r < used.size(); ++r)
      std::ranges::copy(all.row(used[r]), sums_.row(r).begin());
  }

  const Matrix<double>& sums() const { return sums_; }
  std::optional<size_t> row_of(int label) const {
    return row_of_class_[static_cast<size_t>(label)];
  }

 private:
  std::vector<std::optional<size_t>> row_of_class_;
  Matrix<double> sums_;
};

// The best score of each labelled item when it is left out of its own classes.
std::vector<double> left_out_scores(const Matrix<float>& items, const Labels& labels,
                                    const ClassSums& classes, const Matrix<double>& shifts,
                                    const std::vector<double>& weights, double tau) {
  const size_t num_components = weights.size();
  std::vector<double> best(items.rows());
  parallel_for(items.rows(), 16, [&](size_t begin, size_t end) {
    const Matrix<double> sums = to_double(items.view().slice_rows(begin, end - begin));
    Matrix<double> scores = scores_of(sums, shifts, num_components);
    Matrix<double> own(1, sums.cols()), others(1, sums.cols()), shift(1, sums.cols());
    for (size_t i = begin; i < end; ++i) {
      std::ranges::copy(sums.row(i - begin), own.row(0).begin());
      for (const int label : labels.of_item[i]) {
        const std::optional<size_t> row = classes.row_of(label);
        if (!row) continue;
        for (size_t t = 0; t < own.cols(); ++t) others(0, t) = classes.sums()(*row, t) - own(0, t);
        adapt_class(others.row(0), weights, tau, shift.row(0));
        scores(i - begin, *row) = scores_of(own, shift, num_components)(0, 0);
      }
      best[i] = std::ranges::max(scores.row(i - begin));
    }
  });
  std::vector<double> out;
  for (size_t i = 0; i < best.size(); ++i)
    if (!labels.of_item[i].empty()) out.push_back(best[i]);
  return out;
}

}  // namespace

MixtureSums::MixtureSums(Gmm mixture) : mixture_(std::move(mixture)) {
  const size_t k = mixture_.num_components(), d = mixture_.dim();
  inverse_factors_ = mixture_.covariances();
  if (mixture_.kind() == CovarianceKind::kDiagonal) {
    for (double& value : inverse_factors_.values()) value = 1 / std::sqrt(value);
    return;
  }
  for (size_t m = 0; m < k; ++m) {
    const Whitening whitening = whiten(mixture_.covariance(m));
    std::ranges::copy(whitening.inverse_factor.values(), inverse_factors_.data() + m * d * d);
  }
}

void MixtureSums::of_set(ConstMatrixView vectors, std::span<float> out) const {
  MUSTER_CHECK(out.size() == dim());
  std::ranges::fill(out, 0.0f);
  if (vectors.rows == 0) return;
  const size_t k = num_components(), d = mixture_.dim();
  const bool diagonal = mixture_.kind() == CovarianceKind::kDiagonal;
  GmmStatistics statistics(k, d, mixture_.kind());
  statistics.add(mixture_, vectors);
  std::vector<double> centred(d);
  for (size_t m = 0; m < k; ++m) {
    const double count = statistics.counts[m];
    for (size_t t = 0; t < d; ++t)  // the statistics are relative to the mixture's origin
      centred[t] = statistics.sums(m, t) - count * (mixture_.means()(m, t) - mixture_.origin()[t]);
    float* to = out.data() + m * (d + 1);
    *to++ = static_cast<float>(count);
    for (size_t t = 0; t < d; ++t) {
      double value = 0;
      if (diagonal)
        value = inverse_factors_(m, t) * centred[t];
      else
        for (size_t u = 0; u <= t; ++u) value += inverse_factors_(m * d + t, u) * centred[u];
      to[t] = static_cast<float>(value);
    }
  }
}

ClassMixtures::ClassMixtures(MixtureSums universal, Matrix<double> shifts,
                             std::vector<double> known_scores)
    : universal_(std::move(universal)),
      shifts_(std::move(shifts)),
      known_scores_(std::move(known_scores)) {}

ClassMixtures ClassMixtures::fit(MixtureSums universal, const Matrix<float>& sums_of_items,
                                 const Labels& labels, double tau) {
  MUSTER_CHECK(sums_of_items.cols() == universal.dim() && labels.size() == sums_of_items.rows());
  MUSTER_CHECK(tau > 0);
  const size_t k = universal.num_components();
  const ClassSums classes(sums_of_items, labels, k);
  if (classes.sums().rows() == 0)
    throw data_error(
        "class mixtures: no item with a label has any vectors to learn from; label items that are "
        "not empty");
  Matrix<double> shifts(classes.sums().rows(), classes.sums().cols());
  for (size_t c = 0; c < shifts.rows(); ++c)
    adapt_class(classes.sums().row(c), universal.weights(), tau, shifts.row(c));
  std::vector<double> known =
      quantiles(left_out_scores(sums_of_items, labels, classes, shifts, universal.weights(), tau));
  return ClassMixtures(std::move(universal), std::move(shifts), std::move(known));
}

double ClassMixtures::score(ConstMatrixView vectors) const {
  Matrix<float> sums(1, universal_.dim());
  universal_.of_set(vectors, sums.row(0));
  const Matrix<double> scores = scores_of(to_double(sums), shifts_, universal_.num_components());
  return std::ranges::max(scores.row(0));
}

double ClassMixtures::typicality(double score) const { return share_below(known_scores_, score); }

void ClassMixtures::save(const TensorWriter& out) const {
  out.put("shifts", shifts_);
  out.put("known_scores", known_scores_);
}

ClassMixtures ClassMixtures::load(MixtureSums universal, const TensorReader& in) {
  Matrix<double> shifts = in.matrix<double>("shifts");
  std::vector<double> known_scores = in.values<double>("known_scores");
  in.require(shifts.rows() > 0 && shifts.cols() == universal.dim(),
             "class mixtures of another size than the universal one");
  for (const double value : shifts.values())
    in.require(std::isfinite(value), "a mean that is not finite");
  for (const double value : known_scores)
    in.require(std::isfinite(value), "a score that is not finite");
  in.require(known_scores.size() > 1 && std::ranges::is_sorted(known_scores),
             "quantiles must rise");
  return ClassMixtures(std::move(universal), std::move(shifts), std::move(known_scores));
}

}  // namespace muster
