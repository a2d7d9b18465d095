#include "muster/crossval/calibration.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace muster {
namespace {

size_t argmax(std::span<const double> values) {
  return static_cast<size_t>(std::ranges::max_element(values) - values.begin());
}

// exp(a (s - max)) / sum.
void softmax(double a, std::span<const double> scores, std::span<double> out) {
  const double top = std::ranges::max(scores);
  double sum = 0;
  for (size_t k = 0; k < scores.size(); ++k) sum += out[k] = std::exp(a * (scores[k] - top));
  for (double& p : out) p /= sum;
}

// First derivative of the mean log-likelihood in a: E_target[s] - E_p[s]; it falls as a grows.
double slope_at(double a, MatrixView<const double> scores, const Labels& labels) {
  const auto k = static_cast<double>(scores.cols);
  const double smoothing = 1 / (static_cast<double>(scores.rows) + 2);
  std::vector<double> p(scores.cols);
  double total = 0;
  for (size_t i = 0; i < scores.rows; ++i) {
    const auto row = scores.row(i);
    softmax(a, row, p);
    const double own = row[static_cast<size_t>(labels.first(i))];
    double mean = 0, expected = 0;
    for (size_t c = 0; c < row.size(); ++c) {
      mean += row[c] / k;
      expected += p[c] * row[c];
    }
    total += (1 - smoothing) * own + smoothing * mean - expected;
  }
  return total;
}

// The likelihood is concave in a, so its derivative is bisected on a log scale: slower than Newton
// and never wrong. `unit` is the spread of the scores, which sets the scale of a.
double fit_temperature(MatrixView<const double> scores, const Labels& labels) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < scores.rows; ++i)
    for (const double s : scores.row(i)) sum += s, squares += s * s;
  const auto count = static_cast<double>(scores.rows * scores.cols);
  const double unit = std::sqrt(std::max(0.0, squares / count - sum / count * sum / count));
  if (!(unit > 0)) return 1;
  double low = std::log(1e-3 / unit), high = std::log(1e4 / unit);
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    (slope_at(std::exp(middle), scores, labels) > 0 ? low : high) = middle;
  }
  return std::exp(0.5 * (low + high));
}

struct Sigmoid {
  double slope = -1;
  double offset = 0;
};

// sum of cross entropies of 1 / (1 + exp(z)), z = A s + B, in the form that does not overflow.
double sigmoid_loss(Sigmoid g, std::span<const double> scores, std::span<const double> targets) {
  double loss = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    const double z = g.slope * scores[i] + g.offset;
    loss += z >= 0 ? targets[i] * z + std::log1p(std::exp(-z))
                   : (targets[i] - 1) * z + std::log1p(std::exp(z));
  }
  return loss;
}

// Newton with backtracking: Lin, Lin and Weng, A note on Platt's probabilistic outputs for support
// vector machines, Machine Learning 68, 2007.
Sigmoid fit_sigmoid(std::span<const double> scores, std::span<const double> targets, double prior) {
  Sigmoid g{0, std::log((1 - prior) / prior)};
  double loss = sigmoid_loss(g, scores, targets);
  for (int iteration = 0; iteration < 100; ++iteration) {
    double h11 = 1e-12, h22 = 1e-12, h21 = 0, g1 = 0, g2 = 0;
    for (size_t i = 0; i < scores.size(); ++i) {
      const double z = g.slope * scores[i] + g.offset;
      const double e = std::exp(-std::abs(z));
      const double p = z >= 0 ? e / (1 + e) : 1 / (1 + e);
      const double weight = e / ((1 + e) * (1 + e));
      h11 += scores[i] * scores[i] * weight;
      h22 += weight;
      h21 += scores[i] * weight;
      g1 += scores[i] * (targets[i] - p);
      g2 += targets[i] - p;
    }
    if (std::abs(g1) < 1e-9 && std::abs(g2) < 1e-9) break;
    const double determinant = h11 * h22 - h21 * h21;
    const double d1 = -(h22 * g1 - h21 * g2) / determinant;
    const double d2 = -(-h21 * g1 + h11 * g2) / determinant;
    const double descent = g1 * d1 + g2 * d2;
    double step = 1;
    for (; step >= 1e-10; step /= 2) {
      const Sigmoid next{g.slope + step * d1, g.offset + step * d2};
      const double next_loss = sigmoid_loss(next, scores, targets);
      if (next_loss < loss + 1e-4 * step * descent) {
        g = next;
        loss = next_loss;
        break;
      }
    }
    if (step < 1e-10) break;
  }
  return g;
}

Sigmoid fit_label(MatrixView<const double> scores, const Labels& labels, int label) {
  std::vector<double> kept, targets;
  double positives = 0, negatives = 0;
  for (size_t i = 0; i < scores.rows; ++i) {
    const int target = labels.target(i, label);
    if (target == 0) continue;
    kept.push_back(scores(i, static_cast<size_t>(label)));
    targets.push_back(target);
    (target > 0 ? positives : negatives) += 1;
  }
  const double high = (positives + 1) / (positives + 2), low = 1 / (negatives + 2);
  for (double& target : targets) target = target > 0 ? high : low;
  return fit_sigmoid(kept, targets, (positives + 1) / (positives + negatives + 2));
}

}  // namespace

Calibration Calibration::identity(int num_classes, bool multi_label) {
  Calibration out;
  out.num_classes_ = num_classes;
  out.multi_label_ = multi_label;
  const auto k = static_cast<size_t>(num_classes);
  out.slopes_.assign(multi_label ? k : 1, multi_label ? -1.0 : 1.0);
  if (multi_label) out.offsets_.assign(k, 0);
  return out;
}

Calibration Calibration::fit(MatrixView<const double> scores, const Labels& labels) {
  MUSTER_CHECK(scores.rows == labels.size());
  MUSTER_CHECK(scores.cols == static_cast<size_t>(labels.num_classes()));
  Calibration out = identity(labels.num_classes(), !labels.single_label());
  if (scores.rows == 0) return out;
  if (!out.multi_label_) {
    out.slopes_[0] = fit_temperature(scores, labels);
    return out;
  }
  for (int label = 0; label < out.num_classes_; ++label) {
    const Sigmoid sigmoid = fit_label(scores, labels, label);
    out.slopes_[static_cast<size_t>(label)] = sigmoid.slope;
    out.offsets_[static_cast<size_t>(label)] = sigmoid.offset;
  }
  return out;
}

Matrix<double> Calibration::probabilities(MatrixView<const double> scores) const {
  MUSTER_CHECK(scores.cols == static_cast<size_t>(num_classes_));
  Matrix<double> out(scores.rows, scores.cols);
  for (size_t i = 0; i < scores.rows; ++i) {
    const auto row = scores.row(i);
    const auto p = out.row(i);
    if (multi_label_) {
      for (size_t k = 0; k < row.size(); ++k)
        p[k] = 1 / (1 + std::exp(slopes_[k] * row[k] + offsets_[k]));
      continue;
    }
    if (row.empty()) continue;
    softmax(slopes_[0], row, p);
    // Rounding may make the runner-up equal to the winner; the winner must stay the winner.
    const size_t top = argmax(row);
    for (size_t k = 0; k < top; ++k) p[k] = std::min(p[k], std::nextafter(p[top], 0.0));
  }
  return out;
}

void Calibration::save(const TensorWriter& out) const {
  out.put("num_classes", static_cast<double>(num_classes_));
  out.put("multi_label", multi_label_ ? 1.0 : 0.0);
  out.put("slopes", slopes_);
  out.put("offsets", offsets_);
}

Calibration Calibration::load(const TensorReader& in) {
  const size_t num_classes = in.count("num_classes");
  in.require(num_classes >= 1 && num_classes <= 10'000'000, "number of classes out of range");
  Calibration out = identity(static_cast<int>(num_classes), in.number("multi_label") != 0);
  std::vector<double> slopes = in.values<double>("slopes"), offsets = in.values<double>("offsets");
  in.require(slopes.size() == out.slopes_.size() && offsets.size() == out.offsets_.size(),
             "calibration does not fit the number of classes");
  // The best score must stay the most probable class.
  in.require(out.multi_label_ || slopes[0] >= 0, "a calibration that turns scores around");
  out.slopes_ = std::move(slopes);
  out.offsets_ = std::move(offsets);
  return out;
}

}  // namespace muster
