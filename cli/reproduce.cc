#include "muster/reproduce/reproduce.h"

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "common.h"
#include "muster/core/error.h"
#include "muster/report/html.h"
#include "muster/report/tables.h"
#include "muster/report/thumbnails.h"
#include "muster/results/results_json.h"
#include "muster/store/atomic_file.h"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

struct ReproduceArguments {
  Common common;
  std::string name, data, on, out;
  CacheChoice cache;
  bool list = false, quick = false, stand_in = false;
  int first_splits = 0;
  std::string only;
};

int list_experiments(const Common& common) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const PaperExperiment& e : all_experiments()) {
    if (common.json) {
      out.push_back({{"name", e.name},
                     {"paper", e.paper},
                     {"title", e.title},
                     {"data", e.data},
                     {"stand_in", e.stand_in}});
      continue;
    }
    print_result("{:<16} {:<22} {:<13} {}\n", e.name, e.paper, e.data.empty() ? "(none)" : e.data,
                 e.title);
  }
  if (common.json) print_json(out);
  return 0;
}

void print_comparison(const Results& results) {
  if (!results.comparison.empty())
    print_result("{}", comparison_table(results));
  else
    print_result("{}", text_table(results));
}

int reproduce_one(const ReproduceArguments& args) {
  const PaperExperiment& experiment = find_experiment(args.name);
  const auto threads = args.common.limit_threads();
  ReproduceOptions options;
  options.data = args.data;
  options.quick = args.quick;
  options.stand_in = args.stand_in;
  options.on = args.on;
  options.out = args.out.empty()
                    ? fs::path("muster-reproduce") / (args.name + (args.quick ? "-quick" : ""))
                    : fs::path(args.out);
  options.first_splits = args.first_splits;
  options.only = args.only;
  args.cache.apply_to(options.source);
  if (experiment.study.empty()) {
    if (args.data.empty())
      throw usage_error("reproduce {}: name the folder of data sets with --data DIR", args.name);
    data_folder(experiment, options);  // before any work
  }
  Results results = reproduce(experiment, options, args.common.progress(),
                              [&](const std::string& text) { args.common.say(text); });
  if (args.common.json)
    print_json(to_json(results));
  else
    print_comparison(results);
  if (experiment.study.empty())
    results.thumbnails =
        mistake_thumbnails(results, open_dataset(data_folder(experiment, options)));
  write_file_atomically(options.out / "results.csv", csv_table(results));
  write_file_atomically(options.out / "report.html", html_report(results));
  args.common.say(fmt::format("results: {}\nreport: {}", (options.out / "results.json").string(),
                              (options.out / "report.html").string()));
  return 0;
}

}  // namespace

Run add_reproduce(CLI::App& app) {
  auto args = std::make_shared<ReproduceArguments>();
  app.add_option("NAME", args->name, "the table or figure (see --list)");
  app.add_flag("--list", args->list, "list the tables and figures");
  app.add_option("--data", args->data,
                 "folder that holds the data sets, each in a folder of its own name");
  app.add_flag("--quick", args->quick, "run fewer splits and values; takes minutes");
  app.add_flag("--stand-in", args->stand_in, "use similar data if the paper's are not there");
  app.add_option("--on", args->on,
                 "use this data set, by its folder's name, instead of the paper's")
      ->excludes("--stand-in");
  app.add_option("--first-splits", args->first_splits,
                 "run only so many splits now; the others are taken if they were done before")
      ->check(CLI::PositiveNumber);
  app.add_option("--only", args->only,
                 "run only methods whose file name in runs/ contains this; the others are taken if "
                 "they were done before");
  app.add_option("-o,--output", args->out, "folder for results.json and report.html")
      ->default_str("muster-reproduce/NAME");
  args->cache.add_to(app);
  args->common.add_to(app);
  return [args] {
    if (args->list) return list_experiments(args->common);
    if (args->name.empty())
      throw usage_error("reproduce: name a table or figure; muster reproduce --list shows them");
    return reproduce_one(*args);
  };
}

}  // namespace muster::cli
