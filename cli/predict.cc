#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "commands.h"
#include "common.h"
#include "muster/dataset/file_names.h"

namespace muster::cli {
namespace {

// Items are predicted in batches, so that answers come while the rest is being worked on: small
// ones first, then large enough to keep all threads busy.
constexpr size_t kFirstBatch = 8, kLargestBatch = 512;

struct PredictArguments {
  Common common;
  CacheChoice cache{.folder = "none"};
  std::string model;
  std::vector<std::string> items;
  size_t top = 0;
  double reject = 0;
};

const char* name_of(TypicalityBy by) {
  if (by == TypicalityBy::kBoth) return "both";
  return by == TypicalityBy::kLikelihoodRatio ? "likelihood-ratio" : "best-score";
}

// Whether it is none of the classes.
bool rejected(const PredictArguments& args, const Prediction& prediction) {
  if (args.reject == 0) return false;
  if (!prediction.typicality())
    throw Error(ErrorKind::kUsage,
                "--reject: the model keeps no scores of held-out items; train it with C=auto or "
                "calibrate=true, or with --class-mixtures");
  return *prediction.typicality() < args.reject;
}

std::vector<Ranked> shown(const PredictArguments& args, const Prediction& prediction) {
  return args.top > 0 ? prediction.top(args.top) : prediction.labels();
}

void print_line(const PredictArguments& args, const std::string& item,
                const Prediction& prediction) {
  std::string line = printable_name(item);
  if (rejected(args, prediction))
    line += fmt::format("\tnone of these\t{:.3f}", *prediction.typicality());
  else
    for (const Ranked& one : shown(args, prediction))
      line += fmt::format("\t{}\t{:.3f}", printable_name(one.name), one.probability);
  print_result("{}\n", line);
}

nlohmann::ordered_json to_json(const PredictArguments& args, const std::string& item,
                               const Prediction& prediction) {
  nlohmann::ordered_json top = nlohmann::ordered_json::array();
  for (const Ranked& one : shown(args, prediction))
    top.push_back({{"class", one.name}, {"probability", one.probability}});
  nlohmann::ordered_json out{{"item", item},
                             {"class", prediction.label()},
                             {"probability", prediction.probability()},
                             {"top", std::move(top)}};
  if (rejected(args, prediction)) out["class"] = nullptr;
  if (prediction.typicality()) {
    out["typicality"] = *prediction.typicality();
    out["typicality_by"] = name_of(prediction.typicality_by());
  }
  return out;
}

// Folders stand for the items in them. One that cannot be read, or holds none, stays, and is
// refused when its turn comes.
std::vector<std::string> expand(const std::vector<std::string>& items) {
  std::vector<std::string> out;
  for (const std::string& item : items) {
    const size_t before = out.size();
    if (is_folder(item)) {
      try {
        for (const auto& entry : sorted_entries(item))
          if (item_kind(entry)) out.push_back(entry.string());
      } catch (const Error& error) {
        put_message("muster: " + printable_name(error.what()));
      }
    }
    if (out.size() == before) out.push_back(item);
  }
  return out;
}

int predict(const PredictArguments& args) {
  const Model model = load(args.model);
  RunOptions options = args.common.run_options();
  args.cache.apply_to(options.source);
  const std::vector<std::string> items = expand(args.items);
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  bool failed = false;
  size_t batch = kFirstBatch;
  for (size_t begin = 0; begin < items.size(); batch = std::min(2 * batch, kLargestBatch)) {
    const auto some = std::span(items).subspan(begin, std::min(batch, items.size() - begin));
    begin += some.size();
    const std::vector<Answer> answers = model.predict(some, options);
    for (size_t i = 0; i < some.size(); ++i) {
      if (const Error* error = answers[i].error()) {
        failed = true;
        flush_results();
        put_message("muster: " + printable_name(error->what()));
        if (args.common.json) results.push_back({{"item", some[i]}, {"error", error->what()}});
      } else if (args.common.json) {
        results.push_back(to_json(args, some[i], *answers[i]));
      } else {
        print_line(args, some[i], *answers[i]);
      }
    }
    flush_results();
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
      ->check(whole_number(1, 1000000));
  app.add_option("--reject", args->reject,
                 "share of known items to give up, such as 0.05: an item whose best score is lower "
                 "than that of this share of held-out training items is none of these (its "
                 "likelihood ratio, if the model was trained with --class-mixtures)")
      ->check(real_number(0.0, 1.0));
  args->cache.add_to(app);
  args->common.add_to(app);
  return [args] { return predict(*args); };
}

}  // namespace muster::cli
