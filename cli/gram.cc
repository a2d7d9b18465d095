#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "common.h"

namespace muster::cli {
namespace {

struct GramArguments {
  Common common;
  RepresentOptions options;
  std::string recipe, rows, cols, out;
  double memory_mib = 512;
};

int gram(GramArguments& args) {
  check_outside(args.out, args.rows);
  if (!args.cols.empty()) check_outside(args.out, args.cols);
  args.common.apply_to(args.options);
  const std::vector<std::filesystem::path> rows = list_sets(args.rows);
  std::vector<std::filesystem::path> cols;
  if (!args.cols.empty()) cols = list_sets(args.cols);
  write_gram(args.out, args.recipe, rows,
             args.cols.empty() ? std::nullopt : std::optional<Inputs>(cols), args.options,
             static_cast<size_t>(args.memory_mib * (1 << 20)));
  const size_t width = args.cols.empty() ? rows.size() : cols.size();
  if (args.common.json)
    print_json({{"out", args.out}, {"rows", rows.size()}, {"cols", width}});
  else
    print_result("{}: {} x {}\n", args.out, rows.size(), width);
  return 0;
}

}  // namespace

Run add_gram(CLI::App& app) {
  auto args = std::make_shared<GramArguments>();
  app.add_option("SETS", args->rows, "folder of .npy or .npz sets: the rows, and what is fitted on")
      ->required();
  app.add_option("SETS2", args->cols, "another folder for the columns; SETS itself if not given");
  app.add_option("-o,--output", args->out,
                 "K.npy (float64), or K.txt or K.libsvm (LIBSVM precomputed, all labels 0)")
      ->required();
  app.add_option("--memory-mib", args->memory_mib,
                 "of a .npy file, memory for the rows that are computed at a time; the sets "
                 "themselves come on top")
      ->check(real_number(0.0, 1e9))
      ->capture_default_str();
  add_set_recipe(app, args->recipe, args->options.set);
  args->common.add_to(app);
  return [args] { return gram(*args); };
}

}  // namespace muster::cli
