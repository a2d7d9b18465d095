#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "common.h"
#include "muster/dataset/file_names.h"
#include "muster/draw/draw_matches.h"
#include "muster/image/decode.h"
#include "muster/pipeline/fit.h"
#include "muster/setkernel/correspondence.h"
#include "muster/source/cached_source.h"
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
  std::string left, right, method = kDefaultMatchMethod, recipe, out;
  int draw = 60;
};

struct Matched {
  ItemKind kind;
  std::string recipe;
  std::vector<VectorSet> sets;  // two; vectors reduced, places as they were found
  std::vector<Correspondence> matches;
  bool costs = false;  // weights are costs

  bool by_level() const {
    return std::ranges::any_of(matches,
                               [](const Correspondence& match) { return match.level > 0; });
  }
};

ItemKind kind_of(const std::string& item) {
  const std::optional<ItemKind> kind = item_kind(item);
  if (!kind)
    throw data_error("{}: neither a picture nor a vector set by its name; allowed are {}", item,
                     kItemExtensions);
  return *kind;
}

ItemKind common_kind(const MatchArguments& args) {
  const ItemKind kind = kind_of(args.left);
  if (kind_of(args.right) != kind)
    throw usage_error("match: {} and {} are a picture and a vector set; give two of a kind",
                      args.left, args.right);
  if (kind == ItemKind::kVectorSets && !args.out.empty())
    throw usage_error("match: -o {}: vector sets have no picture to draw on; use --json", args.out);
  if (!args.out.empty() && !args.out.ends_with(".png"))
    throw usage_error("match: -o {}: the name must end in .png", args.out);
  return kind;
}

Error no_matches(const std::string& method) {
  return usage_error("match: --method {}: it tells of no single matches; use {}", method, kMethods);
}

void require_known(const std::string& method) {
  const std::string name = parse_recipe(method).branches[0][0].name;
  if (std::ranges::none_of(all_stages(),
                           [&](const StageEntry& stage) { return stage.name == name; }))
    throw usage_error("match: --method {}: there is no such method; use {}", method, kMethods);
}

// Features and reductions, then the matching kernel.
BranchPlan plan_of(const MatchArguments& args, ItemKind kind) {
  require_known(args.method);
  std::string text = args.recipe;
  if (text.empty() && kind == ItemKind::kImages)
    text = args.method.starts_with("pmk") ? kDefaultForPmk : kDefaultFeatures;
  const Plan plan =
      plan_recipe(parse_recipe(text.empty() ? args.method : text + "/" + args.method));
  if (plan.branches.size() != 1 || plan.classifier)
    throw usage_error("match: --recipe {}: it takes one feature and its reductions", args.recipe);
  const BranchPlan& branch = plan.branches[0];
  if (!branch.set_kernel || !branch.transforms.empty()) throw no_matches(args.method);
  if (kind == ItemKind::kImages && !branch.extractor)
    throw usage_error("match: --recipe {}: pictures need a feature first, such as {}", args.recipe,
                      kDefaultFeatures);
  if (kind == ItemKind::kVectorSets && branch.extractor)
    throw usage_error("match: --recipe {}: {} are vector sets already; leave {} out", args.recipe,
                      args.left, branch.extractor->entry->name);
  return branch;
}

// A width that is left to cross-validation: there is nothing to validate on, so the middle of the
// grid.
std::shared_ptr<const SetKernel> settled(const SetKernel& kernel,
                                         const std::vector<VectorSet>& sets) {
  Represented represented;
  for (const VectorSet& set : sets) represented.push_back(kernel.represent(set));
  const auto candidates = kernel.candidates(represented);
  return middle_of(candidates);
}

Matched find_matches(const MatchArguments& args) {
  Matched out{common_kind(args), {}, {}, {}, false};
  const BranchPlan plan = plan_of(args, out.kind);
  Dataset dataset;
  dataset.kind = out.kind;
  for (const std::string& name : {args.left, args.right})
    dataset.items.push_back({name, name, "", Part::kNone});
  const CachedSource source(dataset);
  const std::vector<size_t> items{0, 1};
  const FittedBranch branch = fit_branch(plan, source, items, dataset.labels, Rng(args.common.seed),
                                         args.common.progress());
  for (const size_t item : items)
    out.sets.push_back(branch.reduce(source.load(plan.extraction.get(), item)));
  const std::shared_ptr<const SetKernel> kernel = settled(*branch.kernel, out.sets);
  const auto* matcher = dynamic_cast<const ImpliesMatches*>(kernel.get());
  if (!matcher) throw no_matches(args.method);
  out.matches = matcher->matches(out.sets[0], out.sets[1]);
  out.recipe = Plan{{plan}, {}}.recipe().text();
  out.costs = plan.gives_distances();
  return out;
}

std::string matches_text(size_t count) {
  return count == 1 ? "1 match" : fmt::format("{} matches", count);
}

// By level; if there is only one, by equal parts of the range of weights. The strongest first.
std::map<int, std::vector<Correspondence>> grouped(const Matched& matched) {
  std::vector<Correspondence> sorted = matched.matches;
  std::ranges::stable_sort(sorted, [&](const Correspondence& x, const Correspondence& y) {
    if (x.level != y.level) return x.level < y.level;
    return matched.costs ? x.weight < y.weight : x.weight > y.weight;
  });
  std::map<int, std::vector<Correspondence>> out;
  for (const Correspondence& match : sorted) {
    const double range = sorted.back().weight - sorted.front().weight;
    int group = match.level;
    if (!matched.by_level()) {
      const double part = range != 0 ? (match.weight - sorted.front().weight) / range : 0;
      group = std::min(static_cast<int>(part * kWeightGroups), kWeightGroups - 1);
    }
    out[group].push_back(match);
  }
  return out;
}

// The strongest of every group, in proportion to their numbers.
std::vector<MatchGroup> groups_to_draw(const Matched& matched, size_t most) {
  std::vector<MatchGroup> out;
  const size_t total = matched.matches.size();
  for (auto& [number, matches] : grouped(matched)) {
    const size_t count = matches.size();
    MatchGroup group{matched.by_level()
                         ? fmt::format("level {}: {}", number, count)
                         : fmt::format("weight {:.3g} to {:.3g}: {}", matches.front().weight,
                                       matches.back().weight, count),
                     {}};
    matches.resize(most >= total ? count : (count * most + total - 1) / total);
    for (const Correspondence& match : matches) {
      const auto left = matched.sets[0].places.row(match.a);
      const auto right = matched.sets[1].places.row(match.b);
      group.lines.push_back({left[0], left[1], right[0], right[1]});
    }
    out.push_back(std::move(group));
  }
  return out;
}

void draw_matched(const MatchArguments& args, const Matched& matched) {
  const std::vector<MatchGroup> groups = groups_to_draw(matched, static_cast<size_t>(args.draw));
  size_t drawn = 0;
  for (const MatchGroup& group : groups) drawn += group.lines.size();
  const std::string all = matches_text(matched.matches.size());
  const std::string title = drawn < matched.matches.size()
                                ? fmt::format("{}: {}, {} of them drawn", args.method, all, drawn)
                                : fmt::format("{}: {}", args.method, all);
  write_file_atomically(args.out, encode_png(draw_matches(read_image(args.left),
                                                          read_image(args.right), groups, title)));
}

struct LevelSum {
  size_t count = 0;
  double weight = 0;
};

void print_matched(const MatchArguments& args, const Matched& matched) {
  std::map<int, LevelSum> levels;
  double total = 0;
  for (const Correspondence& match : matched.matches) {
    LevelSum& level = levels[match.level];
    ++level.count;
    level.weight += match.weight;
    total += match.weight;
  }
  fmt::print("{}: {} vectors, {}: {} vectors; {}, weight {:.4g}\n", args.left,
             matched.sets[0].size(), args.right, matched.sets[1].size(),
             matches_text(matched.matches.size()), total);
  if (levels.size() > 1)
    for (const auto& [level, sum] : levels)
      fmt::print("  level {:<2} {:>12}, weight {:.4g}\n", level, matches_text(sum.count),
                 sum.weight);
  if (!args.out.empty()) fmt::print("picture: {}\n", args.out);
}

void print_matches(const MatchArguments& args, const Matched& matched) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Correspondence& match : matched.matches)
    list.push_back(
        {{"a", match.a}, {"b", match.b}, {"level", match.level}, {"weight", match.weight}});
  nlohmann::ordered_json out{{"a", args.left},
                             {"b", args.right},
                             {"recipe", matched.recipe},
                             {"sizes", {matched.sets[0].size(), matched.sets[1].size()}},
                             {"matches", list}};
  if (!args.out.empty()) out["out"] = args.out;
  print_json(out);
}

int match(const MatchArguments& args) {
  const auto threads = args.common.limit_threads();
  if (!args.out.empty()) check_output(args.out);
  const Matched matched = find_matches(args);
  if (!args.out.empty()) draw_matched(args, matched);
  if (args.common.json)
    print_matches(args, matched);
  else
    print_matched(args, matched);
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
      ->check(CLI::Range(1, 1000000));
  args->common.add_to(app);
  return [args] { return match(*args); };
}

}  // namespace muster::cli
