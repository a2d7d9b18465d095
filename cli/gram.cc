#include "muster/setkernel/gram.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "muster/store/libsvm_text.h"
#include "muster/store/npy.h"
#include "sets.h"

namespace muster::cli {
namespace {

struct GramArguments {
  Common common;
  SetRecipe recipe;
  std::string rows, cols, out;
};

// A set feature alone means its dot product.
void give_kernel(FittedBranch& branch) {
  if (branch.kernel) return;
  const StageEntry& linear = find_stage("linear");
  branch.kernel =
      std::get<FeatureKernelStage>(linear.functions).make(*linear.make_options(), branch.feature);
}

// Without labels there is nothing to choose a width by: the middle of the grid has the scale of the
// data.
void settle_width(FittedBranch& branch, const Represented& training, const Common& common) {
  const auto candidates = branch.kernel->candidates(training);
  branch.kernel = candidates[(candidates.size() - 1) / 2];
  if (candidates.size() > 1)
    common.say(
        "gamma=auto: there are no labels to choose it by, so it is 1 / mean distance of the sets");
}

int gram(const GramArguments& args) {
  const auto threads = args.common.limit_threads();
  const ArrayFormat format = array_format(args.out);
  check_output(args.out);
  const BranchPlan plan = args.recipe.plan("gram", args.common);
  if (plan.learns_weights())
    throw usage_error("gram: {} learns its weights from labels, and sets have none; use weights=dyadic or constant",
                      plan.set_kernel->full_spec().name);
  const Progress progress = args.common.progress();
  const Sets rows(args.rows, progress);
  std::optional<Sets> cols;
  if (!args.cols.empty()) cols.emplace(args.cols, progress);
  check_gram_memory(rows.size(), cols ? cols->size() : rows.size());

  FittedBranch branch =
      fit_branch(plan, rows.source(), rows.items(), rows.labels(), Rng(args.common.seed), progress);
  give_kernel(branch);
  const Represented left = represent_items(branch, plan, rows.source(), rows.items(), progress);
  settle_width(branch, left, args.common);
  const Represented right =
      cols ? represent_items(branch, plan, cols->source(), cols->items(), progress) : Represented();
  const RepresentedSpan across = cols ? RepresentedSpan(right) : RepresentedSpan(left);
  Matrix<double> values(left.size(), across.size());
  branch.kernel->gram(left, across, values, progress);
  if (format == ArrayFormat::kNpy)
    write_npy(args.out, values);
  else
    write_libsvm_kernel(args.out, values, std::vector<double>(values.rows()));
  if (args.common.json)
    print_json({{"out", args.out}, {"rows", values.rows()}, {"cols", values.cols()}});
  else
    fmt::print("{}: {} x {}\n", args.out, values.rows(), values.cols());
  return 0;
}

}  // namespace

Run add_gram(CLI::App& app) {
  auto args = std::make_shared<GramArguments>();
  app.add_option("SETS", args->rows, "folder of .npy or .npz sets: the rows, and what is fitted on")
      ->required();
  app.add_option("SETS2", args->cols,
                 "another folder for the columns; SETS itself where not given");
  app.add_option("-o,--output", args->out,
                 "K.npy (float64), or K.txt or K.libsvm (LIBSVM precomputed, all labels 0)")
      ->required();
  args->recipe.add_to(app);
  args->common.add_to(app);
  return [args] { return gram(*args); };
}

}  // namespace muster::cli
