#include <algorithm>
#include <cmath>
#include <numeric>

#include "muster/matching/matching.h"
#include "muster/pyramid/l1_embedding.h"
#include "muster/pyramid/pmk.h"
#include "muster/reproduce/studies.h"

namespace muster {
namespace {

// As many of the sorted pairs as a chart can show.
constexpr size_t kPlotted = 200;

std::vector<VectorSet> random_sets(uint64_t seed, size_t num_sets, size_t fewest, size_t most) {
  std::vector<VectorSet> out;
  for (size_t s = 0; s < num_sets; ++s) {
    Rng rng = Rng(seed).derive("figure 3").derive(fewest).derive(s);
    VectorSet set{Matrix<float>(fewest + rng.below(most - fewest + 1), 2), {}, 0, 0};
    for (float& value : set.vectors.values()) value = static_cast<float>(1 + rng.below(1000));
    out.push_back(std::move(set));
  }
  return out;
}

// The vectors of all sets: what a grid is fitted on.
Sample all_vectors(const std::vector<VectorSet>& sets) {
  size_t total = 0, next = 0;
  for (const VectorSet& set : sets) total += set.size();
  Sample out{Matrix<float>(total, 2), std::vector<int>(total, -1), 0};
  for (const VectorSet& set : sets)
    for (size_t i = 0; i < set.size(); ++i)
      std::ranges::copy(set.vectors.row(i), out.vectors.row(next++).begin());
  return out;
}

std::vector<double> distances(const SetKernel& kernel, const std::vector<VectorSet>& sets,
                              const Progress& progress) {
  Represented represented;
  for (const VectorSet& set : sets) represented.push_back(kernel.represent(set));
  Matrix<double> out(sets.size(), sets.size());
  kernel.gram(represented, represented, out, progress);
  return {out.values().begin(), out.values().end()};
}

std::vector<size_t> order_of(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return values[i]; });
  return order;
}

// Equal values share the mean of their ranks.
std::vector<double> ranks(const std::vector<double>& values) {
  const std::vector<size_t> order = order_of(values);
  std::vector<double> out(values.size());
  for (size_t begin = 0, end; begin < order.size(); begin = end) {
    end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (size_t k = begin; k < end; ++k) out[order[k]] = static_cast<double>(begin + end - 1) / 2;
  }
  return out;
}

double rank_correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const std::vector<double> a = ranks(x), b = ranks(y);
  const double mean = static_cast<double>(a.size() - 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean) * (b[i] - mean);
    aa += (a[i] - mean) * (a[i] - mean);
    bb += (b[i] - mean) * (b[i] - mean);
  }
  return ab / std::sqrt(aa * bb);
}

std::shared_ptr<const SetKernel> pmk_distance(int pyramids, const Sample& sample, uint64_t seed) {
  PmkOptions options;
  options.pyramids = pyramids;
  options.normalise = PmkNormalise::kNone;
  options.scale = 1;
  options.distance = true;
  return fit_pmk(options, sample, Rng(seed), {});
}

// The distances of pairs, in the order of the optimal ones, thinned out.
std::vector<CurvePoint> plotted(const std::vector<double>& values,
                                const std::vector<size_t>& order) {
  std::vector<CurvePoint> points;
  for (size_t k = 0; k < kPlotted; ++k) {
    const size_t at = k * (order.size() - 1) / (kPlotted - 1);
    points.push_back({static_cast<double>(at), values[order[at]], {}, {}});
  }
  return points;
}

void compare(const std::string& name, const std::vector<VectorSet>& sets, uint64_t seed,
             const Progress& progress, Results& out) {
  const Sample sample = all_vectors(sets);
  MatchingOptions optimal;
  optimal.distance = true;
  const std::vector<double> truth =
      distances(*fit_matching(optimal, sample, Rng(seed), {}), sets, progress);
  const std::vector<size_t> order = order_of(truth);
  Curve curve{name, "Pairs, by optimal cost", "Cost", "", false, {}};
  curve.series.push_back({"optimal", false, plotted(truth, order)});
  const auto add = [&](const char* method, const SetKernel& kernel, int pyramids) {
    std::vector<double> values = distances(kernel, sets, progress);
    for (double& value : values) value /= pyramids;
    curve.series.push_back({method, false, plotted(values, order)});
    ComparisonRow row;
    row.name = fmt::format("{}: {}, rank correlation with the optimal", name, method);
    row.ours = rank_correlation(truth, values);
    row.verdict = kPlotOnly;
    out.comparison.push_back(std::move(row));
  };
  add("pmk, T = 1", *pmk_distance(1, sample, seed), 1);
  add("pmk, T = 8", *pmk_distance(8, sample, seed), 8);
  add("l1-embedding", *fit_l1_embedding({1, true, 1}, sample, Rng(seed), {}), 1);
  out.curves.push_back(std::move(curve));
}

}  // namespace

Results partial_matching_study(uint64_t seed, size_t num_sets, const Progress& progress) {
  Results out;
  compare("equal sizes", random_sets(seed, num_sets, 100, 100), seed, progress, out);
  compare("sizes 5 to 100", random_sets(seed, num_sets, 5, 100), seed, progress, out);
  return out;
}

}  // namespace muster
