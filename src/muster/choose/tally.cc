#include "muster/choose/tally.h"

#include <algorithm>
#include <cmath>

#include "muster/core/error.h"
#include "muster/evaluate/ranking.h"

namespace muster {
namespace {

constexpr int8_t kUnscored = -1;

double map_of(const Matrix<double>& scores, const Labels& labels, std::span<const size_t> items) {
  return mean_average_precision(select_rows(scores.view(), items), labels.select(items));
}

struct Moments {
  double mean = 0;
  double deviation = 0;
};
Moments moments(std::span<const double> values) {
  Moments out;
  for (const double value : values) out.mean += value;
  out.mean /= static_cast<double>(std::max<size_t>(values.size(), 1));
  double squares = 0;
  for (const double value : values) squares += (value - out.mean) * (value - out.mean);
  if (values.size() > 1)
    out.deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
  return out;
}

}  // namespace

Tally::Tally(const Labels& labels) : labels_(labels) {}

void Tally::add(size_t repeat, std::span<const size_t> held_out, const Matrix<double>& scores) {
  while (right_.size() <= repeat) {
    right_.emplace_back(labels_.size(), kUnscored);
    scores_.emplace_back(labels_.size(), static_cast<size_t>(labels_.num_classes()));
  }
  for (size_t i = 0; i < held_out.size(); ++i) {
    const auto row = scores.row(i);
    std::ranges::copy(row, scores_[repeat].row(held_out[i]).begin());
    right_[repeat][held_out[i]] =
        std::ranges::max_element(row) - row.begin() == labels_.first(held_out[i]) ? 1 : 0;
  }
  if (repeat == 0) ++folds_;
  if (!labels_.single_label()) fold_scores_.push_back(map_of(scores_[repeat], labels_, held_out));
}

std::vector<double> Tally::units() const {
  if (!labels_.single_label()) return fold_scores_;
  std::vector<double> out;
  for (size_t i = 0; i < labels_.size(); ++i) {
    double sum = 0;
    int times = 0;
    for (const auto& repeat : right_)
      if (repeat[i] != kUnscored) {
        sum += repeat[i];
        ++times;
      }
    if (times > 0) out.push_back(sum / times);
  }
  return out;
}

double Tally::score() const {
  if (labels_.single_label()) return moments(units()).mean;
  double sum = 0;
  for (size_t r = 0; r < right_.size(); ++r) {
    std::vector<size_t> items;
    for (size_t i = 0; i < labels_.size(); ++i)
      if (right_[r][i] != kUnscored) items.push_back(i);
    sum += map_of(scores_[r], labels_, items);
  }
  return sum / static_cast<double>(std::max<size_t>(right_.size(), 1));
}

double Tally::error() const {
  if (labels_.single_label()) {
    // Of a share, as Agresti and Coull (1998) have it: with two more items right and two more
    // wrong, so that few items that happen to be all right do not look certain.
    const auto n = static_cast<double>(units().size()) + 4;
    const double share = (score() * (n - 4) + 2) / n;
    return std::sqrt(share * (1 - share) / n);
  }
  const std::vector<double> values = units();
  return moments(values).deviation / std::sqrt(static_cast<double>(std::max<size_t>(folds_, 1)));
}

double Tally::score_without(std::span<const size_t> items) const {
  std::vector<uint8_t> left_out(labels_.size());
  for (const size_t i : items) left_out[i] = 1;
  double sum = 0;
  size_t count = 0;
  for (const auto& repeat : right_)
    for (size_t i = 0; i < repeat.size(); ++i)
      if (!left_out[i] && repeat[i] != kUnscored) {
        sum += repeat[i];
        ++count;
      }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

HeldOutScores Tally::held_out(int folds) const {
  std::vector<size_t> items;
  for (size_t i = 0; i < labels_.size(); ++i)
    if (right_[0][i] != kUnscored) items.push_back(i);
  Matrix<double> scores = select_rows(scores_[0].view(), items);
  return {std::move(scores), labels_.select(items), folds, std::move(items)};
}

Tally::Difference Tally::minus(const Tally& other) const {
  std::vector<double> mine = units();
  const std::vector<double> theirs = other.units();
  MUSTER_CHECK(mine.size() == theirs.size());
  for (size_t i = 0; i < mine.size(); ++i) mine[i] -= theirs[i];
  const size_t independent = labels_.single_label() ? mine.size() : folds_;
  return {
      score() - other.score(),
      moments(mine).deviation / std::sqrt(static_cast<double>(std::max<size_t>(independent, 1)))};
}

}  // namespace muster
