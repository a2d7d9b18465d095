#include "muster/report/kernel_weights.h"

namespace muster {
namespace {

// The means over the splits that have weights, one per branch.
std::vector<KernelShare> mean_shares(const MethodResult& method) {
  std::vector<KernelShare> out;
  double count = 0;
  for (const SplitResult& split : method.splits) {
    if (split.kernel_shares.empty()) continue;
    ++count;
    out.resize(split.kernel_shares.size());
    for (size_t b = 0; b < out.size(); ++b) {
      const KernelShare& share = split.kernel_shares[b];
      out[b].branch = share.branch;
      out[b].share += share.share;
      out[b].parts.resize(share.parts.size());
      for (size_t i = 0; i < share.parts.size(); ++i) out[b].parts[i] += share.parts[i];
    }
  }
  for (KernelShare& share : out) {
    share.share /= count;
    for (double& weight : share.parts) weight /= count;
  }
  return out;
}

// 1 + 4 + 16 + ... values as levels; none if the number is another.
std::vector<std::vector<double>> as_levels(const std::vector<double>& values) {
  std::vector<std::vector<double>> levels;
  size_t begin = 0;
  for (size_t cells = 1; begin < values.size(); cells *= 4) {
    if (begin + cells > values.size()) return {};
    levels.emplace_back(values.begin() + static_cast<long>(begin),
                        values.begin() + static_cast<long>(begin + cells));
    begin += cells;
  }
  return levels;
}

}  // namespace

std::vector<BranchShareRow> branch_shares(const Results& results) {
  std::vector<BranchShareRow> out;
  for (const MethodResult& method : results.methods) {
    const std::vector<KernelShare> shares = mean_shares(method);
    if (shares.size() < 2) continue;
    for (const KernelShare& share : shares)
      out.push_back({method.method, share.branch, share.share});
  }
  return out;
}

std::vector<WeightMap> weight_maps(const Results& results) {
  std::vector<WeightMap> out = results.weight_maps;
  for (const MethodResult& method : results.methods) {
    const std::vector<KernelShare> shares = mean_shares(method);
    for (const KernelShare& share : shares)
      if (auto levels = as_levels(share.parts); levels.size() > 1)
        out.push_back({shares.size() > 1 ? method.method + ": " + share.branch : method.method,
                       std::move(levels)});
  }
  return out;
}

}  // namespace muster
