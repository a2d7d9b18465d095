#include "muster/explain/deciding.h"

#include <cmath>
#include <numeric>

namespace muster {

std::vector<DecidingItem> deciding_items(const Ensemble& ensemble, const ItemVectors& vectors,
                                         const Question& question, size_t most,
                                         const Progress& progress) {
  const Pipeline& pipeline = ensemble.members()[0];
  if (ensemble.fused() || !pipeline.classifier().takes_gram() || most == 0) return {};
  const auto weights = input_weights(pipeline.classifier(), question);
  if (!weights) return {};
  const Kept all(vectors.size(), true);
  const KeptVectorsSource source(vectors, {&all, 1});
  const Matrix<double> kernel = pipeline.kernel_rows(source, all_items_of(source), progress);
  const double mean = std::accumulate(kernel.data(), kernel.data() + kernel.size(), 0.0) /
                      static_cast<double>(kernel.size());
  std::vector<DecidingItem> out;
  for (size_t j = 0; j < kernel.size(); ++j)
    out.push_back({j, kernel(0, j), (*weights)[j] * (kernel(0, j) - mean)});
  std::ranges::stable_sort(out, std::greater<>(),
                           [](const DecidingItem& one) { return std::abs(one.value); });
  out.resize(std::min(most, out.size()));
  return out;
}

std::vector<Correspondence> matches_with(const Ensemble& ensemble, const ItemVectors& vectors,
                                         const VectorSet& other) {
  const Pipeline& pipeline = ensemble.members()[0];
  if (ensemble.fused() || pipeline.branches().size() != 1) return {};
  const FittedBranch& branch = pipeline.branches()[0];
  const auto* matcher = dynamic_cast<const ImpliesMatches*>(branch.kernel.get());
  if (!matcher) return {};
  return matcher->matches(branch.reduce(vectors.set(0)), branch.reduce(other));
}

}  // namespace muster
