#include <algorithm>
#include <numeric>

#include "muster/api/model_state.h"
#include "muster/core/error.h"
#include "muster/core/options.h"

namespace muster {
namespace {

// A label of several is given if it is more likely than not.
constexpr double kPresent = 0.5;

// The most probable first; of equals the first.
std::vector<size_t> ranking(const std::vector<double>& probabilities) {
  std::vector<size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](size_t k) { return probabilities[k]; });
  return order;
}

}  // namespace

const std::string& Prediction::label() const {
  const auto& values = parts_.probabilities;
  return (
      *parts_.class_names)[static_cast<size_t>(std::ranges::max_element(values) - values.begin())];
}

double Prediction::probability() const { return std::ranges::max(parts_.probabilities); }

size_t class_index(const std::vector<std::string>& class_names, std::string_view name) {
  const auto found = std::ranges::find(class_names, name);
  if (found == class_names.end())
    throw usage_error("unknown class '{}'{}; the model's classes are: {}", name,
                      did_you_mean(name, class_names), fmt::join(class_names, ", "));
  return static_cast<size_t>(found - class_names.begin());
}

double Prediction::probability(std::string_view class_name) const {
  return parts_.probabilities[class_index(*parts_.class_names, class_name)];
}

std::vector<Ranked> Prediction::top(size_t count) const {
  std::vector<Ranked> out;
  for (const size_t k : ranking(parts_.probabilities)) {
    if (out.size() == count) break;
    out.push_back({(*parts_.class_names)[k], parts_.probabilities[k]});
  }
  return out;
}

std::vector<Ranked> Prediction::labels() const {
  if (!parts_.multi_label) return top(1);
  return top(static_cast<size_t>(std::ranges::count_if(
      parts_.probabilities, [](double probability) { return probability >= kPresent; })));
}

const Prediction& Answer::value() const {
  if (error_) throw *error_;
  return *prediction_;
}

std::optional<double> FitFacts::cross_validated() const {
  for (const Tried& one : tried)
    if (one.C == C) return one.score;
  return std::nullopt;
}

Prediction Model::State::prediction(const Predictions& all, size_t row) const {
  Prediction::Parts parts{class_names, ensemble.multi_label(), {},
                          {},          std::nullopt,           all.typicality_by};
  const auto probabilities = all.probabilities.row(row), scores = all.scores.row(row);
  parts.probabilities.assign(probabilities.begin(), probabilities.end());
  parts.scores.assign(scores.begin(), scores.end());
  if (!all.typicality.empty()) parts.typicality = all.typicality[row];
  return Prediction(std::move(parts));
}

}  // namespace muster
