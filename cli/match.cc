#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "common.h"
#include "muster/dataset/file_names.h"
#include "muster/draw/draw_matches.h"
#include "muster/image/decode.h"
#include "muster/store/atomic_file.h"

namespace muster::cli {
namespace {

// The kernels that imply correspondences.
constexpr const char* kMethods = "pmk, vg-pmk, matching or greedy";
constexpr const char* kDefaultMatchMethod = "pmk";
constexpr const char* kDefaultFeatures = "sift:contrast=0.01,max_features=200";
// Grids of cubes want few dimensions; the paper's PCA-SIFT has ten.
constexpr const char* kDefaultForPmk = "sift:contrast=0.01,max_features=200/pca:dim=10";
// Ranges of weights that are told apart if there are no levels.
constexpr int kWeightGroups = 4;

struct MatchArguments {
  Common common;
  CacheChoice cache{.folder = "none"};
  std::string left, right, method = kDefaultMatchMethod, recipe, out;
  int draw = 60;
};

bool by_level(const Matches& found) {
  return std::ranges::any_of(found.pairs, [](const MatchedPair& pair) { return pair.level > 0; });
}

void check_picture(const MatchArguments& args, bool pictures) {
  if (args.out.empty()) return;
  if (!pictures)
    throw usage_error("match: -o {}: vector sets have no picture to draw on; use --json", args.out);
  if (!args.out.ends_with(".png"))
    throw usage_error("match: -o {}: the name must end in .png", args.out);
  check_output(args.out);
}

// Features and reductions, then the matching kernel.
std::string full_recipe(const MatchArguments& args, bool pictures) {
  if (!args.recipe.empty()) return args.recipe + "/" + args.method;
  if (!pictures) return args.method;
  return (args.method.starts_with("pmk") ? kDefaultForPmk : kDefaultFeatures) + ("/" + args.method);
}

std::string matches_text(size_t count) {
  return count == 1 ? "1 match" : fmt::format("{} matches", count);
}

// By level; if there is only one, by equal parts of the range of weights. The strongest first.
std::map<int, std::vector<MatchedPair>> grouped(const Matches& found) {
  std::vector<MatchedPair> sorted = found.pairs;
  std::ranges::stable_sort(sorted, [&](const MatchedPair& x, const MatchedPair& y) {
    if (x.level != y.level) return x.level < y.level;
    return found.costs ? x.weight < y.weight : x.weight > y.weight;
  });
  const bool levels = by_level(found);
  std::map<int, std::vector<MatchedPair>> out;
  for (const MatchedPair& pair : sorted) {
    const double range = sorted.back().weight - sorted.front().weight;
    int group = pair.level;
    if (!levels) {
      const double part = range != 0 ? (pair.weight - sorted.front().weight) / range : 0;
      group = std::min(static_cast<int>(part * kWeightGroups), kWeightGroups - 1);
    }
    out[group].push_back(pair);
  }
  return out;
}

// The strongest of every group, in proportion to their numbers.
std::vector<MatchGroup> groups_to_draw(const Matches& found, size_t most) {
  std::vector<MatchGroup> out;
  const size_t total = found.pairs.size();
  for (auto& [number, pairs] : grouped(found)) {
    const size_t count = pairs.size();
    MatchGroup group{by_level(found)
                         ? fmt::format("level {}: {}", number, count)
                         : fmt::format("weight {:.3g} to {:.3g}: {}", pairs.front().weight,
                                       pairs.back().weight, count),
                     {}};
    pairs.resize(most >= total ? count : (count * most + total - 1) / total);
    for (const MatchedPair& pair : pairs) {
      const auto left = found.places[0].row(pair.a);
      const auto right = found.places[1].row(pair.b);
      group.lines.push_back({left[0], left[1], right[0], right[1]});
    }
    out.push_back(std::move(group));
  }
  return out;
}

void draw_found(const MatchArguments& args, const Matches& found) {
  const std::vector<MatchGroup> groups = groups_to_draw(found, static_cast<size_t>(args.draw));
  size_t drawn = 0;
  for (const MatchGroup& group : groups) drawn += group.lines.size();
  const std::string all = matches_text(found.pairs.size());
  const std::string title = drawn < found.pairs.size()
                                ? fmt::format("{}: {}, {} of them drawn", args.method, all, drawn)
                                : fmt::format("{}: {}", args.method, all);
  write_file_atomically(args.out, encode_png(draw_matches(read_image(args.left),
                                                          read_image(args.right), groups, title)));
}

struct LevelSum {
  size_t count = 0;
  double weight = 0;
};

void print_found(const MatchArguments& args, const Matches& found) {
  std::map<int, LevelSum> levels;
  double total = 0;
  for (const MatchedPair& pair : found.pairs) {
    LevelSum& level = levels[pair.level];
    ++level.count;
    level.weight += pair.weight;
    total += pair.weight;
  }
  print_result("{}: {} vectors, {}: {} vectors; {}, weight {:.4g}\n", args.left, found.sizes[0],
               args.right, found.sizes[1], matches_text(found.pairs.size()), total);
  if (levels.size() > 1)
    for (const auto& [level, sum] : levels)
      print_result("  level {:<2} {:>12}, weight {:.4g}\n", level, matches_text(sum.count),
                   sum.weight);
  if (!args.out.empty()) print_result("picture: {}\n", args.out);
}

nlohmann::ordered_json to_json(const MatchArguments& args, const Matches& found) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const MatchedPair& pair : found.pairs)
    list.push_back({{"a", pair.a}, {"b", pair.b}, {"level", pair.level}, {"weight", pair.weight}});
  nlohmann::ordered_json out{{"a", args.left},
                             {"b", args.right},
                             {"recipe", found.recipe},
                             {"sizes", found.sizes},
                             {"matches", list}};
  if (!args.out.empty()) out["out"] = args.out;
  return out;
}

int match(const MatchArguments& args) {
  const bool pictures = item_kind(args.left) == ItemKind::kImages;
  check_picture(args, pictures);
  RepresentOptions options;
  args.common.apply_to(options);
  args.cache.apply_to(options.source);
  const Matches found = muster::match(args.left, args.right, full_recipe(args, pictures), options);
  if (!args.out.empty()) draw_found(args, found);
  if (args.common.json)
    print_json(to_json(args, found));
  else
    print_found(args, found);
  return 0;
}

}  // namespace

Run add_match(CLI::App& app) {
  auto args = std::make_shared<MatchArguments>();
  app.add_option("A", args->left, "a picture or a vector set (.npy, .npz)")->required();
  app.add_option("B", args->right, "another of the same kind")->required();
  app.add_option("-o,--output", args->out, "OUT.png: the matches drawn between the two pictures");
  app.add_option("--method,-m", args->method,
                 fmt::format("{}; options after ':' (default {})", kMethods, kDefaultMatchMethod));
  app.add_option(
      "--recipe,-r", args->recipe,
      fmt::format("feature and reductions before it (default for pictures {})", kDefaultFeatures));
  app.add_option("--draw", args->draw,
                 "about how many matches to draw, the strongest of every level (default 60)")
      ->check(whole_number(1, 1000000));
  args->cache.add_to(app);
  args->common.add_to(app);
  return [args] { return match(*args); };
}

}  // namespace muster::cli
