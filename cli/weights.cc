#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "common.h"
#include "muster/draw/heat_map.h"
#include "muster/image/decode.h"
#include "muster/recipe/plan.h"
#include "muster/source/readable.h"
#include "muster/store/atomic_file.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct WeightsArguments {
  Common common;
  MethodArguments choice;
  CacheChoice cache{.folder = "none"};
  std::string source, out, one;
  std::vector<std::string> pair;
};

int class_of(const Labels& labels, const std::string& name) {
  for (int c = 0; c < labels.num_classes(); ++c)
    if (labels.class_names[static_cast<size_t>(c)] == name) return c;
  throw usage_error("weights: unknown class '{}'{}; the model's classes are: {}", name,
                    did_you_mean(name, labels.class_names), fmt::join(labels.class_names, ", "));
}

// On the items that take part in the question: two classes, or one against all others.
Model train_on_question(const WeightsArguments& args, const TrainOptions& options) {
  const Dataset dataset = open_data(args.source, args.common);
  const bool two = !args.pair.empty();
  const int first = class_of(dataset.labels, two ? args.pair[0] : args.one);
  const int second = two ? class_of(dataset.labels, args.pair[1]) : -1;
  std::vector<fs::path> items;
  std::vector<std::string> labels;
  for (const size_t item : items_of_part(dataset, Part::kTrain)) {
    const bool a = dataset.labels.target(item, first) > 0;
    if (two && a == (dataset.labels.target(item, second) > 0)) continue;
    items.push_back(dataset.items[item].path);
    labels.push_back(a ? (two ? args.pair[0] : args.one) : (two ? args.pair[1] : "others"));
  }
  return muster::train(items, labels, options);
}

Model learn(const WeightsArguments& args) {
  const bool question = !args.pair.empty() || !args.one.empty();
  if (fs::is_regular_file(args.source) && args.choice.method.empty() &&
      args.choice.recipe.empty() && args.source.ends_with(".muster")) {
    if (question)
      throw usage_error("weights: a model has its classes already; give data for --pair or --one");
    return load(args.source);
  }
  TrainOptions options;
  args.common.apply_to(options);
  options.recipe = chosen_recipe(args.choice, "dspm").text();
  if (const Plan plan = plan_recipe(parse_recipe(options.recipe)); plan.on_vectors())
    throw usage_error(
        "weights: {} has no kernels to weigh; use a recipe that ends in kernel-svm, such as dspm",
        plan.branches[0].short_name());
  args.cache.apply_to(options.source);
  return question ? train_on_question(args, options) : muster::train(args.source, options);
}

// Levels of a pyramid with that many cells in all; -1 if there is no such pyramid.
int levels_of(size_t cells) {
  size_t count = 1, level = 0;
  while (count < cells) count += size_t{1} << (2 * ++level);
  return count == cells ? static_cast<int>(level) : -1;
}

// One picture per level; brightness is relative to the level's largest weight.
std::vector<std::string> draw_cells(const std::vector<double>& cells, const std::string& stem) {
  constexpr int kPicturePx = 256;
  std::vector<std::string> out;
  size_t begin = 0;
  for (int level = 0; level <= levels_of(cells.size()); ++level) {
    const size_t side = size_t{1} << level;
    const MatrixView<const double> values(cells.data() + begin, side, side);
    begin += side * side;
    double largest = 0;
    for (size_t i = 0; i < side * side; ++i) largest = std::max(largest, values.data[i]);
    out.push_back(fmt::format("{}-level{}.png", stem, level));
    write_file_atomically(
        out.back(), encode_png(heat_map(values, largest, kPicturePx / static_cast<int>(side))));
  }
  return out;
}

void print_cells(const std::vector<double>& cells) {
  size_t next = 0;
  for (int level = 0; level <= levels_of(cells.size()); ++level) {
    print_result("  level {}\n", level);
    for (int row = 0; row < 1 << level; ++row) {
      print_result("   ");
      for (int col = 0; col < 1 << level; ++col) print_result(" {:6.3f}", cells[next++]);
      print_result("\n");
    }
  }
}

int weights(const WeightsArguments& args) {
  const Model model = learn(args);
  const std::vector<ShareOfKernel> shares = model.kernel_shares();
  make_folder(args.out);
  Json record{
      {"recipe", model.recipe()}, {"classes", model.class_names()}, {"branches", Json::array()}};
  for (size_t b = 0; b < shares.size(); ++b) {
    const ShareOfKernel& share = shares[b];
    std::vector<std::string> pictures;
    if (share.parts.size() > 1)
      pictures =
          draw_cells(share.parts, (fs::path(args.out) / fmt::format("branch{}", b)).string());
    record["branches"].push_back({{"branch", share.branch},
                                  {"share", share.share},
                                  {"parts", share.parts},
                                  {"pictures", pictures}});
    if (args.common.json) continue;
    print_result("{}: {:.3f} of the kernel\n", share.branch, share.share);
    if (share.parts.size() > 1) print_cells(share.parts);
  }
  write_file_atomically(fs::path(args.out) / "weights.json", record.dump(1) + "\n");
  if (args.common.json) print_json(record);
  return 0;
}

}  // namespace

Run add_weights(CLI::App& app) {
  auto args = std::make_shared<WeightsArguments>();
  app.add_option("SOURCE", args->source,
                 "a model (.muster), or data to learn weights on (dspm if no method is named)")
      ->required();
  app.add_option("-o,--output", args->out,
                 "folder for one picture per level of each branch, and weights.json")
      ->required();
  auto* pair = app.add_option("--pair", args->pair, "A,B: learn what tells these two classes apart")
                   ->delimiter(',')
                   ->expected(2);
  app.add_option("--one", args->one, "A: learn what tells this class from all others")
      ->excludes(pair);
  args->choice.add_to(app);
  args->cache.add_to(app);
  args->common.add_to(app);
  return [args] { return weights(*args); };
}

}  // namespace muster::cli
