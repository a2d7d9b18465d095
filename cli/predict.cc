#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.h"
#include "common.h"
#include "interrupt.h"
#include "muster/dataset/file_names.h"
#include "muster/pipeline/model.h"

namespace muster::cli {
namespace {

struct PredictArguments {
  Common common;
  std::string model;
  std::vector<std::string> items;
  int top = 0;
  double reject = 0;
};

// Without --top: the most probable class; of multi-label models every label that is more likely
// than not.
constexpr double kPresent = 0.5;

struct Ranked {
  std::string name;
  double probability;
};

struct Prediction {
  std::vector<Ranked> classes;  // all, the most probable first
  size_t shown = 0;             // of them
  bool rejected = false;
  std::optional<double> typicality;
  TypicalityBy typicality_by = TypicalityBy::kBestScore;
};

const char* name_of(TypicalityBy by) {
  if (by == TypicalityBy::kBoth) return "both";
  return by == TypicalityBy::kLikelihoodRatio ? "likelihood-ratio" : "best-score";
}

size_t num_shown(const PredictArguments& args, const Model& model,
                 const std::vector<Ranked>& classes) {
  if (args.top > 0) return std::min(static_cast<size_t>(args.top), classes.size());
  if (!model.multi_label()) return 1;
  return static_cast<size_t>(std::ranges::count_if(
      classes, [](const Ranked& one) { return one.probability >= kPresent; }));
}

Prediction predict_one(const PredictArguments& args, const Model& model, const std::string& item) {
  const Scored scored = model.score_file(item);
  Prediction out;
  for (size_t k = 0; k < model.class_names().size(); ++k)
    out.classes.push_back({model.class_names()[k], scored.probabilities(0, k)});
  std::ranges::stable_sort(out.classes, std::greater(), &Ranked::probability);
  out.shown = num_shown(args, model, out.classes);
  if (!scored.typicality.empty()) out.typicality = scored.typicality[0];
  out.typicality_by = scored.typicality_by;
  if (args.reject > 0) {
    if (!out.typicality)
      throw usage_error(
          "--reject: the model keeps no scores of held-out items; train it with C=auto or "
          "calibrate=true, or with --class-mixtures");
    out.rejected = *out.typicality < args.reject;
  }
  return out;
}

void print_line(const std::string& item, const Prediction& prediction) {
  std::string line = item;
  if (prediction.rejected)
    line += fmt::format("\tnone of these\t{:.3f}", *prediction.typicality);
  else
    for (size_t k = 0; k < prediction.shown; ++k)
      line += fmt::format("\t{}\t{:.3f}", prediction.classes[k].name,
                          prediction.classes[k].probability);
  fmt::print("{}\n", line);
}

nlohmann::ordered_json to_json(const std::string& item, const Prediction& prediction) {
  nlohmann::ordered_json top = nlohmann::ordered_json::array();
  for (size_t k = 0; k < prediction.shown; ++k)
    top.push_back({{"class", prediction.classes[k].name},
                   {"probability", prediction.classes[k].probability}});
  nlohmann::ordered_json out{{"item", item},
                             {"class", prediction.classes[0].name},
                             {"probability", prediction.classes[0].probability},
                             {"top", std::move(top)}};
  if (prediction.rejected) out["class"] = nullptr;
  if (prediction.typicality) {
    out["typicality"] = *prediction.typicality;
    out["typicality_by"] = name_of(prediction.typicality_by);
  }
  return out;
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
  const Model model = Model::load(args.model);
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  bool failed = false;
  for (const std::string& item : expand(args.items)) {
    stop_if_interrupted();
    try {
      const Prediction prediction = predict_one(args, model, item);
      if (args.common.json)
        results.push_back(to_json(item, prediction));
      else
        print_line(item, prediction);
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
  app.add_option("MODEL", args->model, "a model made by muster train, fuse or add-class")
      ->required();
  app.add_option("ITEM", args->items, "pictures, .npy sets, or folders of them")->required();
  app.add_option("--top", args->top,
                 "how many classes to name, with their probabilities; without it the most probable "
                 "one, of multi-label models every label more likely than not")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--reject", args->reject,
                 "share of known items to give up, such as 0.05: an item whose best score is lower "
                 "than that of "
                 "this share of held-out training items is none of these (its likelihood ratio, "
                 "where the model "
                 "was trained with --class-mixtures)")
      ->check(CLI::Range(0.0, 1.0));
  args->common.add_to(app);
  return [args] { return predict(*args); };
}

}  // namespace muster::cli
