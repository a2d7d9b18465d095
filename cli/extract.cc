#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "common.h"

namespace muster::cli {
namespace {

struct ExtractArguments {
  Common common;
  RepresentOptions options;
  CacheChoice cache{.folder = "none"};
  std::string data, recipe, out;
};

int extract(ExtractArguments& args) {
  check_outside(args.out, args.data);
  args.common.apply_to(args.options);
  args.cache.apply_to(args.options.source);
  const ExtractReport report = write_features(args.data, args.out, args.recipe, args.options);
  if (args.common.json) {
    std::vector<std::string> left_out;
    for (const LeftOut& item : report.left_out) left_out.push_back(item.reason);
    print_json({{"out", args.out},
                {"recipe", report.recipe},
                {"items", report.kept + report.added},
                {"added", report.added},
                {"kept", report.kept},
                {"vectors_added", report.vectors_added},
                {"left_out", left_out}});
    return 0;
  }
  print_result("{}: features of {}", args.out, counted(report.kept + report.added, "item"));
  if (report.kept > 0) print_result(" ({} were there before)", report.kept);
  print_result(", {} left out\n", report.left_out.size());
  return 0;
}

}  // namespace

Run add_extract(CLI::App& app) {
  auto args = std::make_shared<ExtractArguments>();
  app.add_option("DATA", args->data, "labelled data")->required();
  app.add_option("-o,--output", args->out,
                 "folder of shards to make; running again goes on where it stopped")
      ->required();
  app.add_option("--recipe,-r", args->recipe,
                 "a feature and reductions that learn nothing, such as dsift/root")
      ->default_str("the feature of the method fisher");
  add_overrides(app, args->options.set);
  args->cache.add_to(app);
  args->common.add_to(app);
  return [args] { return extract(*args); };
}

}  // namespace muster::cli
