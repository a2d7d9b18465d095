#include "muster/explain/evidence.h"

#include <numeric>

#include "muster/explain/regions.h"

namespace muster {
namespace {

// What the model says of the item with each choice of vectors.
std::vector<double> scores_of(const Ensemble& ensemble, const ItemVectors& vectors,
                              std::span<const Kept> choices, const Question& question,
                              const Progress& progress) {
  const KeptVectorsSource source(vectors, choices);
  const Predictions all = ensemble.predict(source, all_items_of(source), progress);
  std::vector<double> out;
  for (size_t i = 0; i < choices.size(); ++i) out.push_back(question.of(all.scores.row(i)));
  return out;
}

// Of one branch, by the vectors of its set. `weights` are of the branch's own inputs.
std::optional<VectorShares> branch_shares(const FittedBranch& branch, const VectorSet& set,
                                          std::span<const double> weights) {
  std::vector<double> scaled(weights.begin(), weights.end());
  for (double& weight : scaled) weight *= branch.scale;
  const VectorSet reduced = branch.reduce(set);
  if (branch.kernel) return branch.kernel->shares(reduced, branch.training, scaled);
  return VectorShares{branch.feature->shares(reduced, scaled), branch.feature->additive()};
}

// None if a stage does not let sums tell.
std::optional<Evidence> by_sums(const Pipeline& pipeline, const ItemVectors& vectors, double score,
                                const Question& question) {
  const auto weights = input_weights(pipeline.classifier(), question);
  if (!weights) return std::nullopt;
  Evidence out{EvidenceBy::kExact, score, score, std::vector<double>(vectors.size())};
  size_t begin = 0;
  for (const FittedBranch& branch : pipeline.branches()) {
    std::span<const double> own = *weights;
    if (branch.feature) {
      own = own.subspan(begin, branch.feature->dim());
      begin += own.size();
    }
    const size_t feature = vectors.feature_of(branch.extraction.get());
    const auto shares = branch_shares(branch, vectors.set(feature), own);
    if (!shares) return std::nullopt;
    if (!shares->exact) out.by = EvidenceBy::kFirstOrder;
    for (size_t i = 0; i < shares->values.size(); ++i) {
      out.values[vectors.begin(feature) + i] += shares->values[i];
      out.rest -= shares->values[i];
    }
  }
  if (out.values.empty()) return out;
  // What is left is the classifier's constant and, to first order, what the tangent leaves over: no
  // vector has more to do with it than another.
  const double each = out.rest / static_cast<double>(out.values.size());
  for (double& value : out.values) value += each;
  out.rest = 0;
  return out;
}

Evidence by_leaving_out(const Ensemble& ensemble, const ItemVectors& vectors, double score,
                        const Question& question, const EvidenceOptions& options,
                        const Progress& progress) {
  std::vector<Regions> grids{find_regions(vectors, options.regions)};
  if (vectors.has_places() && options.regions > 2 && grids[0].count < vectors.size())
    grids.push_back(find_regions(vectors, options.regions - 1));
  std::vector<Kept> choices;
  for (const Regions& regions : grids)
    for (size_t r = 0; r < regions.count; ++r) {
      Kept& kept = choices.emplace_back(vectors.size(), true);
      for (size_t i = 0; i < kept.size(); ++i) kept[i] = regions.of_vector[i] != r;
    }
  const std::vector<double> left = scores_of(ensemble, vectors, choices, question, progress);
  Evidence out{EvidenceBy::kLeavingOut, score, score, std::vector<double>(vectors.size())};
  size_t first = 0;
  for (const Regions& regions : grids) {
    std::vector<double> sizes(regions.count);
    for (const uint32_t region : regions.of_vector) ++sizes[region];
    for (size_t i = 0; i < out.values.size(); ++i) {
      const uint32_t region = regions.of_vector[i];
      out.values[i] +=
          (score - left[first + region]) / sizes[region] / static_cast<double>(grids.size());
    }
    first += regions.count;
  }
  out.rest -= std::accumulate(out.values.begin(), out.values.end(), 0.0);
  return out;
}

}  // namespace

std::optional<std::vector<double>> input_weights(const Classifier& classifier,
                                                 const Question& question) {
  const auto own = classifier.linear_score(static_cast<int>(question.class_index));
  if (!own) return std::nullopt;
  std::vector<double> out = own->weights;
  if (question.against) {
    const auto other = classifier.linear_score(static_cast<int>(*question.against));
    for (size_t i = 0; i < out.size(); ++i) out[i] -= other->weights[i];
  }
  return out;
}

Evidence find_evidence(const Ensemble& ensemble, const ItemVectors& vectors,
                       const Question& question, const EvidenceOptions& options,
                       const Progress& progress) {
  const Kept all(vectors.size(), true);
  const double score = scores_of(ensemble, vectors, {&all, 1}, question, {})[0];
  if (!ensemble.fused() && !options.leave_out)
    if (auto found = by_sums(ensemble.members()[0], vectors, score, question)) return *found;
  return by_leaving_out(ensemble, vectors, score, question, options, progress);
}

}  // namespace muster
