#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "common.h"
#include "muster/draw/heat_map.h"
#include "muster/image/decode.h"
#include "muster/pipeline/fit.h"
#include "muster/pipeline/kernel_fusion.h"
#include "muster/source/cached_source.h"
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

// The items that take part, and what they are told apart by.
struct Question {
  std::vector<size_t> items;
  Labels labels;
};

int class_of(const Labels& labels, const std::string& name) {
  for (int c = 0; c < labels.num_classes(); ++c)
    if (labels.class_names[static_cast<size_t>(c)] == name) return c;
  throw usage_error("weights: there is no class '{}'{}; there are: {}", name,
                    did_you_mean(name, labels.class_names), fmt::join(labels.class_names, ", "));
}

Question ask(const WeightsArguments& args, const Labels& labels, std::span<const size_t> items) {
  Question out;
  if (!args.pair.empty()) {
    const int first = class_of(labels, args.pair[0]), second = class_of(labels, args.pair[1]);
    out.labels.class_names = args.pair;
    for (size_t item : items) {
      const bool a = labels.target(item, first) > 0, b = labels.target(item, second) > 0;
      if (a == b) continue;
      out.items.push_back(item);
      out.labels.of_item.push_back({a ? 0 : 1});
    }
  } else if (!args.one.empty()) {
    const int wanted = class_of(labels, args.one);
    out.labels.class_names = {args.one, "others"};
    for (size_t item : items) {
      out.items.push_back(item);
      out.labels.of_item.push_back({labels.target(item, wanted) > 0 ? 0 : 1});
    }
  } else {
    out.items.assign(items.begin(), items.end());
    out.labels = labels.select(items);
  }
  return out;
}

void require_kernels(const Plan& plan) {
  if (plan.on_vectors())
    throw usage_error(
        "weights: {} has no kernels to weigh; use a recipe that ends in kernel-svm, such as dspm",
        plan.branches[0].short_name());
}

Pipeline learn(const WeightsArguments& args) {
  if (fs::is_regular_file(args.source) && args.choice.method.empty() &&
      args.choice.recipe.empty() && args.source.ends_with(".muster")) {
    if (!args.pair.empty() || !args.one.empty())
      throw usage_error("weights: a model has its classes already; give data for --pair or --one");
    Pipeline pipeline = Pipeline::load(args.source);
    require_kernels(pipeline.plan());
    return pipeline;
  }
  const Dataset dataset = open_data(args.source, args.common);
  const Plan plan =
      plan_recipe(fit_to_data(chosen_recipe(args.choice, "dspm"), dataset.kind, args.common));
  require_kernels(plan);
  const CachedSource source(dataset, {.disk = args.cache.resolve()});
  const Progress progress = args.common.progress();
  const Question asked = ask(args, dataset.labels, items_of_part(dataset, Part::kTrain));
  Labels labels = dataset.labels;  // by item, of those that take part
  for (size_t i = 0; i < asked.items.size(); ++i)
    labels.of_item[asked.items[i]] = asked.labels.of_item[i];
  labels.class_names = asked.labels.class_names;
  labels.difficult.clear();
  FitOptions options;
  options.left_out = [&](std::span<const ItemFailure> failures) {
    std::vector<std::string> reasons;
    for (const ItemFailure& failure : failures) reasons.push_back(failure.reason);
    say_left_out(reasons, args.common);
  };
  return fit_pipeline(plan, source, asked.items, labels.select(asked.items), args.common.seed,
                      progress, options);
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
    fmt::print("  level {}\n", level);
    for (int row = 0; row < 1 << level; ++row) {
      fmt::print("   ");
      for (int col = 0; col < 1 << level; ++col) fmt::print(" {:6.3f}", cells[next++]);
      fmt::print("\n");
    }
  }
}

int weights(const WeightsArguments& args) {
  const auto threads = args.common.limit_threads();
  const Pipeline pipeline = learn(args);
  fs::create_directories(args.out);
  const std::vector<BranchShare> shares = kernel_shares(pipeline.branches());
  const std::vector<std::string> names = pipeline.plan().branch_names();
  Json record{{"recipe", pipeline.plan().recipe().text()},
              {"classes", pipeline.class_names()},
              {"branches", Json::array()}};
  for (size_t b = 0; b < shares.size(); ++b) {
    const std::string& name = names[b];
    std::vector<std::string> pictures;
    if (shares[b].parts.size() > 1)
      pictures =
          draw_cells(shares[b].parts, (fs::path(args.out) / fmt::format("branch{}", b)).string());
    record["branches"].push_back({{"branch", name},
                                  {"share", shares[b].share},
                                  {"parts", shares[b].parts},
                                  {"pictures", pictures}});
    if (args.common.json) continue;
    fmt::print("{}: {:.3f} of the kernel\n", name, shares[b].share);
    if (shares[b].parts.size() > 1) print_cells(shares[b].parts);
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
