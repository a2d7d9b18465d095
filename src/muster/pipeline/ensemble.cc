#include "muster/pipeline/ensemble.h"

#include <cmath>

#include "muster/crossval/cross_validation.h"
#include "muster/store/file_kind.h"
#include "muster/store/safetensors.h"

namespace muster {
namespace {

std::vector<std::string> missing_from(const std::vector<std::string>& names,
                                      const std::vector<std::string>& other) {
  std::vector<std::string> out;
  for (const std::string& name : names)
    if (std::ranges::find(other, name) == other.end()) out.push_back("'" + name + "'");
  return out;
}

void require_same_classes(const Pipeline& first, const Pipeline& other,
                          const std::string& first_name, const std::string& name) {
  const auto more = missing_from(other.class_names(), first.class_names());
  const auto fewer = missing_from(first.class_names(), other.class_names());
  if (!more.empty())
    throw data_error(
        "fuse: {} knows {}, which {} does not; models to be fused must have the same classes", name,
        fmt::join(more, ", "), first_name);
  if (!fewer.empty())
    throw data_error(
        "fuse: {} knows {}, which {} does not; models to be fused must have the same classes",
        first_name, fmt::join(fewer, ", "), name);
  if (first.multi_label() != other.multi_label())
    throw data_error("fuse: {} gives one label per item, {} several; train both on the same data",
                     first.multi_label() ? name : first_name,
                     first.multi_label() ? first_name : name);
}

bool is_answer(std::span<const double> scores, std::span<const double> probabilities) {
  return std::ranges::all_of(scores, [](double score) { return std::isfinite(score); }) &&
         std::ranges::all_of(probabilities, [](double p) { return p >= 0 && p <= 1 + 1e-9; });
}

}  // namespace

Ensemble::Ensemble(Pipeline pipeline) : Ensemble(std::vector<Pipeline>{std::move(pipeline)}, {1}) {}

Ensemble::Ensemble(std::vector<Pipeline> members, std::vector<double> weights)
    : members_(std::move(members)), weights_(std::move(weights)) {
  for (const Pipeline& member : members_) {
    std::vector<size_t>& columns = columns_.emplace_back();
    for (const std::string& name : class_names())
      columns.push_back(static_cast<size_t>(std::ranges::find(member.class_names(), name) -
                                            member.class_names().begin()));
  }
}

Ensemble Ensemble::fuse(std::vector<Pipeline> members, std::vector<double> weights,
                        const std::vector<std::string>& names) {
  MUSTER_CHECK(members.size() > 1 && weights.size() == members.size() &&
               names.size() == members.size());
  for (size_t m = 1; m < members.size(); ++m)
    require_same_classes(members[0], members[m], names[0], names[m]);
  for (const double weight : weights) MUSTER_CHECK(weight > 0);
  return Ensemble(std::move(members), std::move(weights));
}

std::vector<BranchPlan> Ensemble::branches() const {
  std::vector<BranchPlan> out;
  for (const Pipeline& member : members_)
    out.insert(out.end(), member.plan().branches.begin(), member.plan().branches.end());
  return out;
}

std::vector<const Extraction*> Ensemble::extractions() const {
  std::vector<const Extraction*> out;
  for (const Pipeline& member : members_)
    for (const FittedBranch& branch : member.branches()) {
      const Extraction* extraction = branch.extraction.get();
      if (std::ranges::none_of(out, [&](const Extraction* other) {
            return extraction == other || (extraction && other && extraction->spec == other->spec);
          }))
        out.push_back(extraction);
    }
  return out;
}

std::vector<double> Ensemble::typicality(size_t member, const ItemScores& scores) const {
  std::vector<double> out;
  if (const ClassMixtures* mixtures = members_[member].class_mixtures()) {
    for (const double ratio : scores.likelihood_ratios) out.push_back(mixtures->typicality(ratio));
    return out;
  }
  const FitStatistics* statistics = members_[member].classifier().statistics();
  if (!statistics || statistics->known_scores.empty()) return out;
  for (size_t i = 0; i < scores.scores.rows(); ++i)
    out.push_back(*statistics->typicality(std::ranges::max(scores.scores.row(i))));
  return out;
}

Predictions Ensemble::combine(const std::vector<ItemScores>& scores_by_member) const {
  const size_t n = scores_by_member[0].scores.rows(), k = class_names().size();
  double total = 0;
  for (const double weight : weights_) total += weight;
  Predictions out{{}, Matrix<double>(n, k), std::vector<double>(n)};
  size_t by_ratio = 0;
  for (size_t m = 0; m < members_.size(); ++m) {
    const Matrix<double> probabilities =
        members_[m].classifier().probabilities(scores_by_member[m].scores);
    const std::vector<double> typical = typicality(m, scores_by_member[m]);
    if (members_[m].class_mixtures()) ++by_ratio;
    if (typical.size() < n) out.typicality.clear();
    for (size_t i = 0; i < n; ++i) {
      for (size_t c = 0; c < k; ++c)
        out.probabilities(i, c) += weights_[m] / total * probabilities(i, columns_[m][c]);
      if (!out.typicality.empty()) out.typicality[i] += weights_[m] / total * typical[i];
    }
  }
  if (by_ratio > 0)
    out.typicality_by =
        by_ratio == members_.size() ? TypicalityBy::kLikelihoodRatio : TypicalityBy::kBoth;
  out.scores = fused() ? out.probabilities : scores_by_member[0].scores;
  return out;
}

void Ensemble::check_kinds(const SetSource& source, std::span<const size_t> items) const {
  const bool of_pictures = members_[0].plan().branches[0].extractor.has_value();
  for (const size_t item : items) {
    const bool picture = source.kind(item) == ItemKind::kImages;
    if (picture != of_pictures)
      throw data_error("{}: a {}, but the model was trained on {}", source.name(item),
                       picture ? "picture" : "vector set",
                       of_pictures ? "pictures" : "vector sets");
  }
}

Predictions Ensemble::predict(const SetSource& source, std::span<const size_t> items,
                              const Progress& progress) const {
  check_kinds(source, items);
  std::vector<ItemScores> scores;
  for (const Pipeline& member : members_) scores.push_back(member.score(source, items, progress));
  Predictions out = combine(scores);
  for (size_t i = 0; i < items.size(); ++i)
    if (!is_answer(out.scores.row(i), out.probabilities.row(i)))
      throw data_error(
          "{}: the model cannot tell what it is, since its vectors lead out of the range of "
          "numbers; they are too large for it, or the model is damaged",
          source.name(items[i]));
  return out;
}

TensorMap Ensemble::tensors() const {
  TensorMap map;
  const TensorWriter out(map);
  if (!fused()) {
    members_[0].save(out);
    return map;
  }
  put_kind(FileKind::kFusedModel, out);
  out.put("weights", weights_);
  for (size_t m = 0; m < members_.size(); ++m)
    members_[m].save(out.scope("member").scope(std::to_string(m)));
  return map;
}

Ensemble Ensemble::load(const std::shared_ptr<const TensorMap>& map, const std::string& file) {
  const TensorReader in(*map);
  if (!has_kind(FileKind::kFusedModel, in)) return Ensemble(Pipeline::load(map, "", file));
  require_kind(FileKind::kFusedModel, in, file);
  std::vector<double> weights = in.values<double>("weights");
  in.require(weights.size() > 1, "a fused model needs two members");
  std::vector<Pipeline> members;
  std::vector<std::string> names;
  for (size_t m = 0; m < weights.size(); ++m) {
    in.require(weights[m] > 0 && weights[m] <= kLargestFusionWeight,
               "a weight is not a positive number up to 1e9");
    members.push_back(Pipeline::load(map, fmt::format("member.{}.", m), file));
    names.push_back(fmt::format("{}, member {}", file, m + 1));
  }
  return fuse(std::move(members), std::move(weights), names);
}

void Ensemble::save(const std::filesystem::path& path) const { write_safetensors(path, tensors()); }

Ensemble Ensemble::load(const std::filesystem::path& path) {
  return load(std::make_shared<const TensorMap>(read_safetensors(path)), path.string());
}

}  // namespace muster
