#include "muster/explain/curves.h"

#include <numeric>

namespace muster {
namespace {

std::vector<double> curve(const Ensemble& ensemble, const ItemVectors& vectors, size_t class_index,
                          std::span<const size_t> order, int steps, bool removed) {
  MUSTER_CHECK(order.size() == vectors.size() && steps > 0);
  std::vector<Kept> choices;
  for (int k = 0; k <= steps; ++k) {
    Kept& kept = choices.emplace_back(vectors.size(), removed);
    const size_t first = order.size() * static_cast<size_t>(k) / static_cast<size_t>(steps);
    for (const size_t i : order.first(first)) kept[i] = !removed;
  }
  const KeptVectorsSource source(vectors, choices);
  const Predictions all = ensemble.predict(source, all_items_of(source), {});
  std::vector<double> out;
  for (size_t k = 0; k < choices.size(); ++k) out.push_back(all.probabilities(k, class_index));
  return out;
}

}  // namespace

std::vector<size_t> by_evidence(std::span<const double> values) {
  std::vector<size_t> out(values.size());
  std::iota(out.begin(), out.end(), size_t{0});
  std::ranges::stable_sort(out, std::greater<>(), [&](size_t i) { return values[i]; });
  return out;
}

std::vector<size_t> in_random_order(size_t num_vectors, Rng rng) {
  std::vector<size_t> out(num_vectors);
  std::iota(out.begin(), out.end(), size_t{0});
  rng.shuffle(std::span(out));
  return out;
}

std::vector<double> deletion_curve(const Ensemble& ensemble, const ItemVectors& vectors,
                                   size_t class_index, std::span<const size_t> order, int steps) {
  return curve(ensemble, vectors, class_index, order, steps, true);
}

std::vector<double> insertion_curve(const Ensemble& ensemble, const ItemVectors& vectors,
                                    size_t class_index, std::span<const size_t> order, int steps) {
  return curve(ensemble, vectors, class_index, order, steps, false);
}

double area_under(std::span<const double> curve) {
  double out = 0;
  for (size_t k = 1; k < curve.size(); ++k) out += (curve[k - 1] + curve[k]) / 2;
  return out / static_cast<double>(curve.size() - 1);
}

}  // namespace muster
