#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "muster/store/libsvm_text.h"
#include "muster/store/npy.h"
#include "sets.h"

namespace muster::cli {
namespace {

struct EncodeArguments {
  Common common;
  SetRecipe recipe;
  std::string sets, fit, out;
};

int encode(const EncodeArguments& args) {
  const auto threads = args.common.limit_threads();
  const ArrayFormat format = array_format(args.out);
  check_output(args.out);
  const BranchPlan plan = args.recipe.plan("encode", args.common);
  if (plan.has_kernel())
    throw usage_error(
        "encode: the recipe '{}' gives a kernel, not vectors; use muster gram, or stop at the set "
        "feature",
        args.recipe.choice.recipe);
  const Progress progress = args.common.progress();
  const Sets sets(args.sets, progress);
  std::optional<Sets> others;
  if (!args.fit.empty()) others.emplace(args.fit, progress);
  const Sets& training = others ? *others : sets;
  const FittedBranch branch = fit_branch(plan, training.source(), training.items(),
                                         training.labels(), Rng(args.common.seed), progress);
  const Matrix<float> vectors = encode_items(branch, plan, sets.source(), sets.items(), progress);
  if (format == ArrayFormat::kNpy)
    write_npy(args.out, vectors);
  else
    write_libsvm(args.out, vectors, std::vector<double>(vectors.rows()));
  if (args.common.json)
    print_json({{"out", args.out},
                {"rows", vectors.rows()},
                {"cols", vectors.cols()},
                {"fitted_on", training.size()}});
  else
    fmt::print("{}: {} x {}, one row a set\n", args.out, vectors.rows(), vectors.cols());
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
  app.add_option("--fit", args->fit, "folder of sets to fit on; SETS itself where not given");
  args->recipe.add_to(app);
  args->common.add_to(app);
  return [args] { return encode(*args); };
}

}  // namespace muster::cli
