#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "commands.h"
#include "common.h"
#include "forecast.h"
#include "muster/choose/choose.h"
#include "muster/choose/schedule.h"
#include "muster/core/parallel.h"
#include "muster/crossval/cross_validation.h"
#include "muster/dataset/duplicates.h"
#include "muster/dataset/file_names.h"
#include "muster/dataset/voc.h"
#include "muster/image/decode.h"
#include "muster/recipe/plan.h"
#include "muster/source/dataset_source.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr size_t kTimedItems = 8;    // the time forecast is drawn from these
constexpr size_t kListedItems = 10;  // of each kind of finding

struct InspectArguments {
  Common common;
  ForecastArguments ranks;
  std::string data;
};

// What reading one item told.
struct Look {
  std::string unreadable;        // why, or nothing
  size_t width = 0, height = 0;  // pixels, or number and dimension of vectors
  bool blank = false;            // a picture of one colour: nothing to tell it by
};

Look look_at(const Item& item, ItemKind kind) {
  Look look;
  try {
    if (kind == ItemKind::kVectorSets) {
      const VectorSet set = load_vector_set(item.path);
      look.width = set.size();
      look.height = set.dim();
      return look;
    }
    DecodeOptions full_size;
    full_size.longest_side_px = 0;
    const Image image = read_image(item.path, full_size);
    look.width = static_cast<size_t>(image.width);
    look.height = static_cast<size_t>(image.height);
    look.blank = true;
    for (size_t i = 3; i < image.rgb.size() && look.blank; ++i)
      look.blank = image.rgb[i] == image.rgb[i - 3];
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData) throw;
    look.unreadable = error.what();
  }
  return look;
}

std::vector<Look> look_at_all(const Dataset& dataset, const Progress& progress) {
  std::vector<Look> looks(dataset.items.size());
  ProgressStep step(progress, "reading", looks.size());
  parallel_for(looks.size(), 1, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      looks[i] = look_at(dataset.items[i], dataset.kind);
      step.tick();
    }
  });
  return looks;
}

std::string layout_of(const std::string& path, const Dataset& dataset) {
  if (!is_folder(path)) return "list file";
  if (fs::is_regular_file(fs::path(path) / "labels.tsv")) return "list file (labels.tsv)";
  if (is_voc(path)) return "VOC folder";
  return dataset.items[0].part != Part::kNone ? "train and test folders of classes"
                                              : "class folders";
}

Json classes_json(const Dataset& dataset, const std::vector<Look>& looks) {
  const Labels& labels = dataset.labels;
  Json classes = Json::array();
  for (int k = 0; k < labels.num_classes(); ++k) {
    size_t items = 0, readable = 0, train = 0, test = 0;
    for (size_t i = 0; i < labels.size(); ++i) {
      if (labels.target(i, k) <= 0) continue;
      ++items;
      readable += looks[i].unreadable.empty();
      train += dataset.items[i].part == Part::kTrain;
      test += dataset.items[i].part == Part::kTest;
    }
    Json entry{{"name", labels.class_names[static_cast<size_t>(k)]},
               {"items", items},
               {"readable", readable}};
    if (train + test > 0) entry.update(Json{{"train", train}, {"test", test}});
    classes.push_back(std::move(entry));
  }
  return classes;
}

// Largest over smallest class, of what can be read.
double imbalance_of(const Json& classes) {
  double smallest = INFINITY, largest = 0;
  for (const Json& entry : classes) {
    smallest = std::min(smallest, entry["readable"].get<double>());
    largest = std::max(largest, entry["readable"].get<double>());
  }
  return largest / std::max(smallest, 1.0);
}

Json range_json(const std::vector<Look>& looks, size_t Look::*member) {
  std::vector<size_t> values;
  for (const Look& look : looks)
    if (look.unreadable.empty()) values.push_back(look.*member);
  std::ranges::sort(values);
  return {{"min", values.front()}, {"median", values[values.size() / 2]}, {"max", values.back()}};
}

// The recipes that `auto` would judge, and how long that would take.
Json plan_json(const Dataset& dataset, const DataLook& look, const std::vector<size_t>& items,
               unsigned threads) {
  const int folds = usable_folds(dataset.labels.select(items), 10);
  const std::vector<Round> rounds = plan_rounds(look, Effort::kNormal, folds);
  Json recipes = Json::array(), passes = Json::array();
  for (const Candidate& one : propose(look, Effort::kNormal, look.items))
    recipes.push_back({{"name", one.name}, {"recipe", one.recipe.text()}});
  for (const Round& round : rounds)
    passes.push_back({{"items", round.items}, {"folds", round.folds}, {"repeats", round.repeats}});
  return {{"effort", "normal"},
          {"recipes", recipes},
          {"rounds", passes},
          {"seconds", forecast_seconds(look, Effort::kNormal, rounds, threads)}};
}

// Times the features of a few items, spread over the data, and extends that to all.
Json forecast(const Dataset& dataset, const std::vector<size_t>& readable, const Json& plan,
              unsigned threads) {
  std::map<std::string, std::shared_ptr<const muster::Extraction>> extractions;  // each once
  for (const Json& recipe : plan["recipes"])
    for (const BranchPlan& branch :
         plan_recipe(parse_recipe(recipe["recipe"].get<std::string>())).branches)
      extractions[branch.extraction ? branch.extraction->spec : ""] = branch.extraction;
  const size_t count = std::min(kTimedItems, readable.size());
  const DatasetSource source(dataset);
  double bytes = 0;
  const auto start = std::chrono::steady_clock::now();
  for (const auto& [spec, extraction] : extractions)
    for (size_t i = 0; i < count; ++i) {
      const VectorSet set = source.load(extraction.get(), readable[i * readable.size() / count]);
      const size_t value_bytes = dataset.kind == ItemKind::kImages ? 2 : sizeof(float);
      bytes +=
          static_cast<double>(set.vectors.size() * value_bytes + set.places.size() * sizeof(float));
    }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  const double scale = static_cast<double>(readable.size()) / static_cast<double>(count);
  const auto n = static_cast<double>(readable.size());
  return {{"feature_seconds", spent.count() * scale / threads},
          {"threads", threads},
          {"feature_bytes", bytes * scale},
          {"kernel_matrix_bytes", n * n * sizeof(double)},
          {"timed_items", count}};
}

Json duplicates_json(const Dataset& dataset) {
  Json out = Json::array();
  for (const DuplicateGroup& group : find_duplicates(dataset)) {
    Json names = Json::array();
    for (size_t i : group.items) names.push_back(dataset.items[i].name);
    out.push_back({{"items", names},
                   {"across_classes", group.across_classes},
                   {"across_splits", group.across_splits}});
  }
  return out;
}

// What a look at the data suggests to do.
Json advice_json(const Json& record) {
  Json out = Json::array();
  const Json& classes = record["classes"];
  if (classes.size() < 2) out.push_back("there is one class only; a classifier needs two or more");
  for (const Json& entry : classes)
    if (entry["readable"] < 2)
      out.push_back(fmt::format("class '{}' has {} to learn from; add more or leave the class out",
                                entry["name"].get<std::string>(),
                                counted(entry["readable"], "item")));
  if (record["imbalance"] > 3)
    out.push_back(
        "the classes differ much in size; look at mean class accuracy, or try --set "
        "class_weights=balanced");
  size_t across_classes = 0, across_splits = 0;
  for (const Json& group : record["duplicates"]) {
    across_classes += group["across_classes"].get<bool>();
    across_splits += group["across_splits"].get<bool>();
  }
  if (across_classes > 0)
    out.push_back("the same file has different classes; one of them is wrong");
  if (across_splits > 0)
    out.push_back("the same file is in train and test; the accuracy would be too good");
  if (record["kind"] == "vector sets" && record["dimension"]["min"] != record["dimension"]["max"])
    out.push_back(
        "the vectors of different sets have different dimensions; they cannot be trained on "
        "together");
  return out;
}

void print_list(const std::string& title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  print_result("{}: {}\n", title, lines.size());
  for (size_t i = 0; i < std::min(lines.size(), kListedItems); ++i)
    print_result("  {}\n", lines[i]);
  if (lines.size() > kListedItems)
    print_result("  ... and {} more (all with --json)\n", lines.size() - kListedItems);
}

void print_classes(const Json& classes) {
  for (const Json& entry : classes) {
    print_result("  {:<24} {:>6}", entry["name"].get<std::string>(), entry["items"].get<size_t>());
    if (entry.contains("train"))
      print_result("  ({} train, {} test)", entry["train"].get<size_t>(),
                   entry["test"].get<size_t>());
    if (entry["readable"] != entry["items"])
      print_result("  ({} unreadable)",
                   entry["items"].get<size_t>() - entry["readable"].get<size_t>());
    print_result("\n");
  }
}

void print_range(const char* what, const Json& range) {
  print_result("{}: {} to {}, median {}\n", what, range["min"].get<size_t>(),
               range["max"].get<size_t>(), range["median"].get<size_t>());
}

void print_text(const Json& record) {
  print_result("{}: {}, {} {} in {}\n", record["data"].get<std::string>(),
               record["layout"].get<std::string>(), record["items"].get<size_t>(),
               record["kind"].get<std::string>(), counted(record["classes"].size(), "class"));
  print_classes(record["classes"]);
  if (record["classes"].size() > 1)
    print_result("largest class : smallest class = {:.1f}\n", record["imbalance"].get<double>());
  const bool pictures = record["kind"] == "pictures";
  print_range(pictures ? "width in pixels" : "vectors per set",
              record[pictures ? "width" : "vectors"]);
  print_range(pictures ? "height in pixels" : "dimension",
              record[pictures ? "height" : "dimension"]);
  std::vector<std::string> lines;
  for (const Json& entry : record["unreadable"])
    lines.push_back(entry["reason"].get<std::string>());
  print_list("unreadable files (left out of training)", lines);
  print_list("passed over", record["passed_over"].get<std::vector<std::string>>());
  print_list("pictures of one colour", record["blank"].get<std::vector<std::string>>());
  lines.clear();
  for (const Json& group : record["duplicates"])
    lines.push_back(fmt::format("{}{}{}",
                                fmt::join(group["items"].get<std::vector<std::string>>(), " = "),
                                group["across_classes"] ? "  ACROSS CLASSES" : "",
                                group["across_splits"] ? "  ACROSS TRAIN AND TEST" : ""));
  print_list("groups of identical files", lines);
  const Json& cost = record["forecast"];
  print_result(
      "forecast: {} takes about {:.1f} s with {} and {} of memory; a kernel matrix of all items "
      "{}\n",
      pictures ? "extracting features" : "reading the sets", cost["feature_seconds"].get<double>(),
      counted(cost["threads"], "thread"), bytes_text(cost["feature_bytes"]),
      bytes_text(cost["kernel_matrix_bytes"]));
  for (const Json& line : record["advice"]) print_result("note: {}\n", line.get<std::string>());
  const Json& plan = record["plan"];
  print_result("method: auto would judge {} recipes, about {:.0f} s\n", plan["recipes"].size(),
               std::ceil(plan["seconds"].get<double>()));
  for (const Json& recipe : plan["recipes"])
    print_result("  {}\n", recipe["name"].get<std::string>());
  if (record.contains("ranks")) print_forecast(record["ranks"]);
}

int inspect(const InspectArguments& args) {
  const auto threads = args.common.limit_threads();
  const Dataset dataset = open_dataset(args.data);
  const std::vector<Look> looks = look_at_all(dataset, args.common.progress());
  const bool pictures = dataset.kind == ItemKind::kImages;
  Json unreadable = Json::array(), blank = Json::array();
  std::vector<size_t> readable;
  for (size_t i = 0; i < looks.size(); ++i) {
    if (looks[i].blank) blank.push_back(dataset.items[i].name);
    if (looks[i].unreadable.empty())
      readable.push_back(i);
    else
      unreadable.push_back({{"item", dataset.items[i].name}, {"reason", looks[i].unreadable}});
  }
  if (readable.empty())
    throw data_error("{}: none of its {} items can be read, the first because: {}", args.data,
                     looks.size(), looks[0].unreadable);
  const auto cores = args.common.threads > 0 ? static_cast<unsigned>(args.common.threads)
                                             : std::max(1U, std::thread::hardware_concurrency());
  std::vector<size_t> training;  // what train would learn from
  for (const size_t i : readable)
    if (dataset.items[i].part != Part::kTest) training.push_back(i);
  if (training.empty()) training = readable;
  const DatasetSource source(dataset);
  const Json plan = plan_json(dataset, look_at(source, training, dataset.labels.select(training)),
                              training, cores);
  Json record{{"data", args.data},
              {"layout", layout_of(args.data, dataset)},
              {"kind", pictures ? "pictures" : "vector sets"},
              {"items", dataset.items.size()},
              {"readable", readable.size()},
              {"multi_label", !dataset.labels.single_label()},
              {"classes", classes_json(dataset, looks)}};
  record["imbalance"] = imbalance_of(record["classes"]);
  record[pictures ? "width" : "vectors"] = range_json(looks, &Look::width);
  record[pictures ? "height" : "dimension"] = range_json(looks, &Look::height);
  record["unreadable"] = std::move(unreadable);
  record["passed_over"] = dataset.notes;
  record["blank"] = std::move(blank);
  record["duplicates"] = duplicates_json(dataset);
  record["forecast"] = forecast(dataset, readable, plan, cores);
  record["method"] = kAutoMethod;
  record["plan"] = plan;
  record["advice"] = advice_json(record);
  if (args.ranks.ranks > 0)
    record["ranks"] = forecast_ranks(args.ranks, dataset, training, args.common);
  if (args.common.json)
    print_json(record);
  else
    print_text(record);
  return 0;
}

}  // namespace

Run add_inspect(CLI::App& app) {
  auto args = std::make_shared<InspectArguments>();
  app.add_option("DATA", args->data,
                 "class folders, train/test folders, a list file or a VOC folder")
      ->required();
  args->ranks.add_to(app);
  args->common.add_to(app);
  return [args] { return inspect(*args); };
}

}  // namespace muster::cli
