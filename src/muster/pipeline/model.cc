#include "muster/pipeline/model.h"

#include <map>

#include "muster/crossval/cross_validation.h"
#include "muster/dataset/file_names.h"
#include "muster/store/safetensors.h"

namespace muster {
namespace {

constexpr const char* kFusedKind = "muster fused model";
constexpr const char* kFormatVersion = "1";

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
    throw data_error("fuse: {} gives one label an item, {} several; train both on the same data",
                     first.multi_label() ? name : first_name,
                     first.multi_label() ? first_name : name);
}

}  // namespace

Model::Model(Pipeline pipeline) : Model(std::vector<Pipeline>{std::move(pipeline)}, {1}) {}

Model::Model(std::vector<Pipeline> members, std::vector<double> weights)
    : members_(std::move(members)), weights_(std::move(weights)) {
  for (const Pipeline& member : members_) {
    std::vector<size_t>& columns = columns_.emplace_back();
    for (const std::string& name : class_names())
      columns.push_back(static_cast<size_t>(std::ranges::find(member.class_names(), name) -
                                            member.class_names().begin()));
  }
}

Model Model::fuse(std::vector<Pipeline> members, std::vector<double> weights,
                  const std::vector<std::string>& names) {
  MUSTER_CHECK(members.size() > 1 && weights.size() == members.size() &&
               names.size() == members.size());
  for (size_t m = 1; m < members.size(); ++m)
    require_same_classes(members[0], members[m], names[0], names[m]);
  for (const double weight : weights) MUSTER_CHECK(weight > 0);
  return Model(std::move(members), std::move(weights));
}

std::vector<BranchPlan> Model::branches() const {
  std::vector<BranchPlan> out;
  for (const Pipeline& member : members_)
    out.insert(out.end(), member.plan().branches.begin(), member.plan().branches.end());
  return out;
}

std::vector<double> Model::typicality(size_t member, const Said& said) const {
  std::vector<double> out;
  if (const ClassMixtures* mixtures = members_[member].class_mixtures()) {
    for (const double ratio : said.likelihood_ratios) out.push_back(mixtures->typicality(ratio));
    return out;
  }
  const FitStatistics* statistics = members_[member].classifier().statistics();
  if (!statistics || statistics->known_scores.empty()) return out;
  for (size_t i = 0; i < said.scores.rows(); ++i)
    out.push_back(*statistics->typicality(std::ranges::max(said.scores.row(i))));
  return out;
}

Scored Model::combine(const std::vector<Said>& said_by_member) const {
  const size_t n = said_by_member[0].scores.rows(), k = class_names().size();
  double total = 0;
  for (const double weight : weights_) total += weight;
  Scored out{{}, Matrix<double>(n, k), std::vector<double>(n)};
  size_t by_ratio = 0;
  for (size_t m = 0; m < members_.size(); ++m) {
    const Matrix<double> probabilities =
        members_[m].classifier().probabilities(said_by_member[m].scores);
    const std::vector<double> typical = typicality(m, said_by_member[m]);
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
  out.scores = fused() ? out.probabilities : said_by_member[0].scores;
  return out;
}

Scored Model::score(const ItemSource& source, std::span<const size_t> items,
                    const Progress& progress) const {
  std::vector<Said> said;
  for (const Pipeline& member : members_) {
    said.push_back({member.scores(source, items, progress), {}});
    if (member.class_mixtures())
      said.back().likelihood_ratios = member.likelihood_ratios(source, items, progress);
  }
  return combine(said);
}

Scored Model::score_file(const std::filesystem::path& path) const {
  const std::string item = path.string();
  const std::optional<ItemKind> kind = item_kind(path);
  if (!kind)
    throw data_error("{}: neither a picture nor a vector set by its name; allowed are {}", item,
                     kItemExtensions);
  std::map<std::string, VectorSet> set_of;  // members with the same feature share it
  std::vector<Said> said;
  for (const Pipeline& member : members_) {
    std::vector<VectorSet> sets;
    for (const BranchPlan& branch : member.plan().branches) {
      if (*kind == ItemKind::kVectorSets && branch.extractor)
        throw data_error("{}: a vector set, but the model was trained on pictures", item);
      if (*kind == ItemKind::kImages && !branch.extractor)
        throw data_error("{}: a picture, but the model was trained on vector sets", item);
      const std::string key = branch.extractor ? branch.extractor->full_spec().text() : "";
      if (!set_of.contains(key)) set_of[key] = load_item(path, *kind, branch.extractor);
      sets.push_back(set_of[key]);
    }
    try {
      said.push_back({member.scores(sets), {}});
      if (member.class_mixtures()) said.back().likelihood_ratios = {member.likelihood_ratio(sets)};
    } catch (const Error& error) {  // the pipeline knows sets, not files
      throw Error(error.kind(), fmt::format("{}: {}", item, error.what()));
    }
  }
  return combine(said);
}

void Model::save(const std::filesystem::path& path) const {
  if (!fused()) return members_[0].save(path);
  TensorMap map;
  TensorWriter out(map);
  out.put_text("format_version", kFormatVersion);
  out.put_text("kind", kFusedKind);
  out.put("weights", weights_);
  for (size_t m = 0; m < members_.size(); ++m)
    members_[m].save(out.scope("member").scope(std::to_string(m)));
  write_safetensors(path, map);
}

Model Model::load(const std::filesystem::path& path) {
  const TensorMap map = read_safetensors(path);
  const auto kind = map.metadata.find("kind");
  if (kind == map.metadata.end() || kind->second != kFusedKind) return Model(Pipeline::load(path));
  const TensorReader in(map);
  if (in.text("format_version") != kFormatVersion)
    throw data_error("{}: it has format version {}, and this muster reads version {}",
                     path.string(), in.text("format_version"), kFormatVersion);
  std::vector<double> weights = in.values<double>("weights");
  in.require(weights.size() > 1, "a fused model needs two members");
  std::vector<Pipeline> members;
  std::vector<std::string> names;
  for (size_t m = 0; m < weights.size(); ++m) {
    in.require(weights[m] > 0, "a weight is not positive");
    members.push_back(Pipeline::load(in.scope("member").scope(std::to_string(m)), path.string()));
    names.push_back(fmt::format("{}, member {}", path.string(), m + 1));
  }
  return fuse(std::move(members), std::move(weights), names);
}

}  // namespace muster
