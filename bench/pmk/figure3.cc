// PMK figure 3: how well the pyramid match follows the cost of the optimal partial matching. 100
// sets of points with whole coordinates uniform in [1, 1000]^2, once of 100 points each, once of 5
// to 100; all 10,000 pairs.
//   figure3 [OUT.json]     rank correlations on stdout; the distances of every pair in OUT.json
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "muster/setkernel/l1_embedding.h"
#include "muster/setkernel/matching.h"
#include "muster/setkernel/pmk.h"

namespace muster {
namespace {

constexpr size_t kSets = 100;
constexpr uint64_t kSeed = 1;

std::vector<VectorSet> random_sets(size_t fewest, size_t most) {
  std::vector<VectorSet> out;
  for (size_t s = 0; s < kSets; ++s) {
    Rng rng = Rng(kSeed).derive("figure 3").derive(fewest).derive(s);
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

std::vector<double> distances(const SetKernel& kernel, const std::vector<VectorSet>& sets) {
  Represented represented;
  for (const VectorSet& set : sets) represented.push_back(kernel.represent(set));
  Matrix<double> out(kSets, kSets);
  kernel.gram(represented, represented, out, {});
  return {out.values().begin(), out.values().end()};
}

// Equal values share the mean of their ranks.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return values[i]; });
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

std::shared_ptr<const SetKernel> pmk_distance(int pyramids, const Sample& sample) {
  PmkOptions options;
  options.pyramids = pyramids;
  options.normalise = PmkNormalise::kNone;
  options.scale = 1;
  options.distance = true;
  return fit_pmk(options, sample, Rng(kSeed), {});
}

nlohmann::json compare(const char* name, const std::vector<VectorSet>& sets) {
  const Sample sample = all_vectors(sets);
  MatchingOptions optimal;
  optimal.distance = true;
  const std::vector<double> truth = distances(*fit_matching(optimal, sample, Rng(kSeed), {}), sets);
  nlohmann::json out{{"sizes", nlohmann::json::array()}, {"optimal", truth}};
  for (const VectorSet& set : sets) out["sizes"].push_back(set.size());
  const auto add = [&](const char* method, const SetKernel& kernel) {
    const std::vector<double> values = distances(kernel, sets);
    const double correlation = rank_correlation(truth, values);
    std::printf("%-16s %-14s %6.3f\n", name, method, correlation);
    out[method] = {{"rank_correlation", correlation}, {"distances", values}};
  };
  add("pmk T=1", *pmk_distance(1, sample));
  add("pmk T=8", *pmk_distance(8, sample));
  add("l1-embedding", *fit_l1_embedding({1, true, 1}, sample, Rng(kSeed), {}));
  return out;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  nlohmann::json out;
  out["equal"] = muster::compare("equal sizes", muster::random_sets(100, 100));
  out["unequal"] = muster::compare("sizes 5 to 100", muster::random_sets(5, 100));
  if (argc < 2) return 0;
  std::ofstream file(argv[1]);
  file << out.dump() << "\n";
  if (file.flush()) return 0;
  std::fprintf(stderr, "%s: cannot be written\n", argv[1]);
  return 1;
}
