#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "muster/pipeline/choice_file.h"
#include "muster/pipeline/lazy_training.h"
#include "muster/pipeline/universal_file.h"
#include "muster/store/file_kind.h"
#include "muster/store/safetensors.h"

namespace muster {
namespace {

// Lists of lists, as their ends and their values.
void save_lists(const std::vector<std::vector<int>>& lists, const TensorWriter& out) {
  std::vector<uint64_t> ends;
  std::vector<int32_t> values;
  for (const std::vector<int>& list : lists) {
    values.insert(values.end(), list.begin(), list.end());
    ends.push_back(values.size());
  }
  out.put("ends", ends);
  out.put("values", values);
}

std::vector<std::vector<int>> load_lists(const TensorReader& in, size_t num_classes) {
  const auto ends = in.values<uint64_t>("ends");
  const auto values = in.values<int32_t>("values");
  in.require(std::ranges::is_sorted(ends) && (ends.empty() ? 0 : ends.back()) == values.size(),
             "labels end elsewhere");
  for (const int32_t value : values)
    in.require(value >= 0 && static_cast<size_t>(value) < num_classes, "a label is not a class");
  std::vector<std::vector<int>> out;
  size_t begin = 0;
  for (const uint64_t end : ends) {
    out.emplace_back(values.begin() + static_cast<long>(begin),
                     values.begin() + static_cast<long>(end));
    in.require(std::ranges::is_sorted(out.back()), "the labels of an item are not in order");
    begin = end;
  }
  return out;
}

void save_training(const KeptTraining& training, const TensorWriter& out) {
  if (!training.names.empty()) {
    // Names of files may be any bytes.
    const std::string text = nlohmann::json(training.names)
                                 .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    out.put("names", std::vector<uint8_t>(text.begin(), text.end()));
  }
  save_lists(training.labels.of_item, out.scope("labels"));
  if (!training.labels.difficult.empty())
    save_lists(training.labels.difficult, out.scope("difficult"));
  if (!training.vectors.empty()) out.put("vectors", training.vectors);
  if (!training.gram.empty()) out.put("gram", training.gram);
}

// Of a pipeline whose classifier takes so many inputs: components of a vector, or training sets.
std::shared_ptr<const KeptTraining> load_training(const TensorReader& in,
                                                  std::vector<std::string> class_names,
                                                  bool multi_label, bool on_vectors,
                                                  size_t num_inputs) {
  if (!in.has("labels.ends")) return nullptr;
  auto out = std::make_shared<KeptTraining>();
  const size_t num_classes = class_names.size();
  out->labels = {
      std::move(class_names), load_lists(in.scope("labels"), num_classes), {}, multi_label};
  in.require(multi_label || out->labels.single_label(), "an item without exactly one label");
  in.require(on_vectors ? in.has("vectors") : out->labels.size() == num_inputs,
             "labels of other items");
  if (in.has("difficult.ends")) {
    out->labels.difficult = load_lists(in.scope("difficult"), num_classes);
    in.require(out->labels.difficult.size() == out->labels.size(),
               "difficult labels of other items");
  }
  if (in.has("names")) {
    const nlohmann::json names = nlohmann::json::parse(in.values<uint8_t>("names"), nullptr, false);
    in.require(names.is_array() && names.size() == out->labels.size() &&
                   std::ranges::all_of(names, [](const auto& name) { return name.is_string(); }),
               "names of other items");
    out->names = names.get<std::vector<std::string>>();
  }
  if (in.has("vectors")) out->vectors = in.matrix<float>("vectors", out->labels.size(), num_inputs);
  if (in.has("gram")) out->gram = in.matrix<double>("gram", out->labels.size(), out->labels.size());
  return out;
}

std::vector<std::string> parse_class_names(const std::string& text, const std::string& path) {
  const nlohmann::json names = nlohmann::json::parse(text, nullptr, false);
  std::set<std::string> seen;
  const bool ok = names.is_array() && std::ranges::all_of(names, [&](const auto& name) {
                    return name.is_string() && seen.insert(name.template get<std::string>()).second;
                  });
  if (!ok)
    throw data_error("{}: its class names are not a list of distinct texts; the file is damaged",
                     path);
  return names.get<std::vector<std::string>>();
}

uint64_t parse_seed(const std::string& text, const std::string& path) {
  uint64_t seed = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (code != std::errc() || end != text.data() + text.size())
    throw data_error("{}: its seed '{}' is not a number; the file is damaged", path, text);
  return seed;
}

// The universal mixture is the branch's.
std::shared_ptr<const ClassMixtures> load_class_mixtures(const TensorReader& in, const Plan& plan,
                                                         std::span<const FittedBranch> branches) {
  if (!in.has("shifts")) return nullptr;
  try {
    require_universal_stage(plan, "class mixtures");
  } catch (const Error& error) {
    in.require(false, error.what());
  }
  return std::make_shared<ClassMixtures>(
      ClassMixtures::load(MixtureSums(universal_of(branches[0]).mixture), in));
}

// A recipe that this muster does not understand is the file's fault, not the user's.
Plan stored_plan(const std::string& recipe, const std::string& path) {
  try {
    return plan_recipe(parse_recipe(recipe));
  } catch (const Error& error) {
    throw data_error("{}: its recipe cannot be used: {}", path, error.what());
  }
}

}  // namespace

void Pipeline::save(const std::filesystem::path& path) const {
  TensorMap map;
  save(TensorWriter(map));
  write_safetensors(path, map);
}

void Pipeline::save(const TensorWriter& out) const {
  put_kind(FileKind::kModel, out);
  out.put_text("recipe", plan_.recipe().text());
  out.put_text("seed", std::to_string(seed_));
  out.put_text("class_names", nlohmann::json(class_names_).dump());
  out.put_text("multi_label", multi_label_ ? "true" : "false");
  for (size_t b = 0; b < branches_.size(); ++b) {
    const TensorWriter scope = out.scope("branch").scope(std::to_string(b));
    const FittedBranch& branch = branches_[b];
    scope.put("input_dim", static_cast<double>(branch.input_dim));
    save_branch(branch, scope);
  }
  classifier_->save(out.scope("classifier"));
  if (const KeptTraining* kept = training()) save_training(*kept, out.scope("training"));
  if (class_mixtures_) class_mixtures_->save(out.scope("class_mixtures"));
  if (choice_) out.put_text("choice", choice_text(*choice_));
}

Pipeline Pipeline::load(const std::filesystem::path& path) {
  return load(std::make_shared<TensorMap>(read_safetensors(path)), "", path.string());
}

Pipeline Pipeline::load(std::shared_ptr<const TensorMap> map, const std::string& prefix,
                        const std::string& path) {
  const TensorReader in(*map, prefix);
  require_kind(FileKind::kModel, in, path);
  Plan plan = stored_plan(in.text("recipe"), path);
  if (!plan.classifier) throw data_error("{}: its recipe has no classifier", path);
  std::vector<FittedBranch> branches;
  for (size_t b = 0; b < plan.branches.size(); ++b) {
    const TensorReader scope = in.scope("branch").scope(std::to_string(b));
    const size_t input_dim = scope.count("input_dim");
    branches.push_back(load_branch(plan.branches[b], plan.on_vectors(), input_dim, scope));
  }
  for (const FittedBranch& branch : branches)
    in.require(branch.training.size() == branches[0].training.size(),
               "branches of unequal numbers of training sets");
  const PlannedStage& stage = *plan.classifier;
  std::shared_ptr<const Classifier> classifier =
      plan.on_vectors()
          ? stage.as<VectorClassifierStage>().load(*stage.options, in.scope("classifier"))
          : stage.as<GramClassifierStage>().load(*stage.options, in.scope("classifier"));
  size_t num_inputs = 0;
  for (const FittedBranch& branch : branches)
    num_inputs = plan.on_vectors() ? num_inputs + branch.feature->dim() : branch.training.size();
  in.require(classifier->num_inputs() == num_inputs, "a classifier of other inputs");
  const std::vector<std::string> names = parse_class_names(in.text("class_names"), path);
  if (static_cast<int>(names.size()) != classifier->num_classes())
    throw data_error("{}: its class names do not fit its classifier; the file is damaged", path);
  const std::string several = in.text("multi_label");
  in.require(several == "true" || several == "false", "multi_label is neither true nor false");
  const bool multi_label = several == "true", on_vectors = plan.on_vectors();
  const TensorReader calibration = in.scope("classifier").scope("calibration");
  in.require((calibration.number("multi_label") != 0) == multi_label,
             "a classifier for another number of labels per item");
  auto training = std::make_shared<LazyTraining>([=] {
    return load_training(TensorReader(*map, prefix).scope("training"), names, multi_label,
                         on_vectors, num_inputs);
  });
  std::shared_ptr<const ClassMixtures> class_mixtures =
      load_class_mixtures(in.scope("class_mixtures"), plan, branches);
  Pipeline out(std::move(plan), std::move(branches), std::move(classifier), names, multi_label,
               parse_seed(in.text("seed"), path), std::move(training), std::move(class_mixtures));
  if (in.has_text("choice")) out.set_choice(parse_choice(in.text("choice"), path));
  return out;
}

}  // namespace muster
