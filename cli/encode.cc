#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "common.h"

namespace muster::cli {
namespace {

struct EncodeArguments {
  Common common;
  RepresentOptions options;
  std::string recipe, sets, fit, out;
};

int encode(EncodeArguments& args) {
  check_array_file(args.out);
  check_outside(args.out, args.sets);
  args.common.apply_to(args.options);
  const std::vector<std::filesystem::path> sets = list_sets(args.sets);
  const std::vector<std::filesystem::path> training = args.fit.empty() ? sets : list_sets(args.fit);
  const Encoder encoder = fit_encoder(args.recipe, training, args.options);
  const Vectors vectors = encoder.encode(sets, args.common.run_options());
  write_vectors(args.out, vectors);
  if (args.common.json)
    print_json({{"out", args.out},
                {"rows", vectors.rows},
                {"cols", vectors.dim},
                {"fitted_on", training.size()}});
  else
    print_result("{}: {} x {}, one row per set\n", args.out, vectors.rows, vectors.dim);
  return 0;
}

}  // namespace

Run add_encode(CLI::App& app) {
  auto args = std::make_shared<EncodeArguments>();
  app.add_option("SETS", args->sets, "folder of .npy or .npz sets, taken in sorted order")
      ->required();
  app.add_option("-o,--output", args->out,
                 "X.npy (float32), or X.libsvm or X.txt (LIBSVM text, all labels 0)")
      ->required();
  app.add_option("--fit", args->fit, "folder of sets to fit on; SETS itself if not given");
  add_set_recipe(app, args->recipe, args->options.set);
  args->common.add_to(app);
  return [args] { return encode(*args); };
}

}  // namespace muster::cli
