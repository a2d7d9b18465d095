#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "commands.h"
#include "common.h"
#include "interrupt.h"
#include "muster/dataset/file_names.h"
#include "muster/pipeline/pipeline.h"

namespace muster::cli {
namespace {

struct PredictArguments {
  Common common;
  std::string model;
  std::vector<std::string> items;
  int top = 1;
};

struct Ranked {
  std::string name;
  double probability;
};

std::vector<Ranked> ranked_classes(const Pipeline& pipeline, const Matrix<double>& probabilities) {
  std::vector<Ranked> out;
  for (size_t k = 0; k < pipeline.class_names().size(); ++k)
    out.push_back({pipeline.class_names()[k], probabilities(0, k)});
  std::ranges::stable_sort(out, std::greater(), &Ranked::probability);
  return out;
}

std::vector<Ranked> predict_one(const Pipeline& pipeline, const std::string& item) {
  const std::optional<ItemKind> kind = item_kind(item);
  if (!kind)
    throw data_error("{}: neither a picture nor a vector set by its name; allowed are {}", item,
                     kItemExtensions);
  std::vector<VectorSet> sets;
  for (const BranchPlan& branch : pipeline.plan().branches) {
    if (*kind == ItemKind::kVectorSets && branch.extractor)
      throw data_error("{}: a vector set, but the model was trained on pictures", item);
    if (*kind == ItemKind::kImages && !branch.extractor)
      throw data_error("{}: a picture, but the model was trained on vector sets", item);
    sets.push_back(load_item(item, *kind, branch.extractor));
  }
  try {
    return ranked_classes(pipeline, pipeline.classifier().probabilities(pipeline.scores(sets)));
  } catch (const Error& error) {  // the pipeline knows sets, not files
    throw Error(error.kind(), fmt::format("{}: {}", item, error.what()));
  }
}

// Folders stand for the items in them.
std::vector<std::string> expand(const std::vector<std::string>& items) {
  std::vector<std::string> out;
  for (const std::string& item : items) {
    if (!std::filesystem::is_directory(item)) {
      out.push_back(item);
      continue;
    }
    for (const auto& entry : sorted_entries(item))
      if (item_kind(entry)) out.push_back(entry.string());
  }
  return out;
}

int predict(const PredictArguments& args) {
  const auto threads = args.common.limit_threads();
  const Pipeline pipeline = Pipeline::load(args.model);
  const auto top = std::min(static_cast<size_t>(args.top), pipeline.class_names().size());
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  bool failed = false;
  for (const std::string& item : expand(args.items)) {
    stop_if_interrupted();
    try {
      const std::vector<Ranked> ranked = predict_one(pipeline, item);
      if (args.common.json) {
        nlohmann::ordered_json classes = nlohmann::ordered_json::array();
        for (size_t k = 0; k < top; ++k)
          classes.push_back({{"class", ranked[k].name}, {"probability", ranked[k].probability}});
        results.push_back({{"item", item},
                           {"class", ranked[0].name},
                           {"probability", ranked[0].probability},
                           {"top", std::move(classes)}});
        continue;
      }
      std::string line = item;
      for (size_t k = 0; k < top; ++k)
        line += fmt::format("\t{}\t{:.3f}", ranked[k].name, ranked[k].probability);
      fmt::print("{}\n", line);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kData) throw;
      failed = true;
      fmt::print(stderr, "muster: {}\n", error.what());
      if (args.common.json) results.push_back({{"item", item}, {"error", error.what()}});
    }
  }
  if (args.common.json) print_json(results);
  return failed ? static_cast<int>(ErrorKind::kData) : 0;
}

}  // namespace

Run add_predict(CLI::App& app) {
  auto args = std::make_shared<PredictArguments>();
  app.add_option("MODEL", args->model, "a model made by muster train")->required();
  app.add_option("ITEM", args->items, "pictures, .npy sets, or folders of them")->required();
  app.add_option("--top", args->top, "how many classes to name, with their probabilities")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  args->common.add_to(app);
  return [args] { return predict(*args); };
}

}  // namespace muster::cli
