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
  double memory_mib = 512;
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
  branch.kernel = middle_of(candidates);
  if (candidates.size() > 1)
    common.say(
        "gamma=auto: there are no labels to choose it by, so it is 1 / mean distance of the sets");
}

// As many rows as fit into the memory that is given.
size_t rows_at_a_time(size_t rows, size_t cols, double memory_mib) {
  const double fitting =
      memory_mib * (1 << 20) / (sizeof(double) * static_cast<double>(std::max<size_t>(cols, 1)));
  return std::clamp<size_t>(static_cast<size_t>(std::min(fitting, 1e15)), 1,
                            std::max<size_t>(rows, 1));
}

// The whole need never be in memory. Where rows and columns are the same sets, every pair is
// computed once: a strip begins at its diagonal block, and what is right of that goes below it as
// well.
void write_in_strips(const GramArguments& args, const SetKernel& kernel, RepresentedSpan left,
                     RepresentedSpan right, bool same, const Progress& progress) {
  NpyBlockFile file(args.out, left.size(), right.size());
  const size_t strip = file.takes_any_order()
                           ? rows_at_a_time(left.size(), right.size(), args.memory_mib)
                           : left.size();
  check_gram_memory(strip, right.size());
  Matrix<double> values(strip, right.size());
  const auto computed = [&](RepresentedSpan rows, RepresentedSpan cols) {
    const MatrixView<double> out(values.data(), rows.size(), cols.size());
    kernel.gram(rows, cols, out, progress);
    return out;
  };
  for (size_t begin = 0; begin < left.size(); begin += strip) {
    const size_t count = std::min(strip, left.size() - begin);
    const RepresentedSpan rows = left.subspan(begin, count);
    if (!same) {
      file.write(begin, 0, computed(rows, right));
      continue;
    }
    file.write(begin, begin, computed(rows, rows));
    const RepresentedSpan rest = right.subspan(begin + count);
    if (rest.empty()) continue;
    const MatrixView<double> block = computed(rows, rest);
    file.write(begin, begin + count, block);
    file.write_transposed(begin + count, begin, block);
  }
  file.commit();
}

void write_text(const GramArguments& args, const SetKernel& kernel, RepresentedSpan left,
                RepresentedSpan right, const Progress& progress) {
  check_gram_memory(left.size(), right.size());
  Matrix<double> values(left.size(), right.size());
  kernel.gram(left, right, values, progress);
  write_libsvm_kernel(args.out, values, std::vector<double>(values.rows()));
}

int gram(const GramArguments& args) {
  const auto threads = args.common.limit_threads();
  const ArrayFormat format = array_format(args.out);
  check_output(args.out);
  const BranchPlan plan = args.recipe.plan("gram", args.common);
  if (plan.learns_weights())
    throw usage_error(
        "gram: {} learns its weights from labels, and sets have none; use weights=dyadic or "
        "constant",
        plan.set_kernel->full_spec().name);
  const Progress progress = args.common.progress();
  const Sets rows(args.rows, progress);
  std::optional<Sets> cols;
  if (!args.cols.empty()) cols.emplace(args.cols, progress);
  const size_t width = cols ? cols->size() : rows.size();
  check_gram_memory(format == ArrayFormat::kNpy
                        ? rows_at_a_time(rows.size(), width, args.memory_mib)
                        : rows.size(),
                    width);

  FittedBranch branch =
      fit_branch(plan, rows.source(), rows.items(), rows.labels(), Rng(args.common.seed), progress);
  give_kernel(branch);
  const Represented left = represent_items(branch, plan, rows.source(), rows.items(), progress);
  settle_width(branch, left, args.common);
  const Represented right =
      cols ? represent_items(branch, plan, cols->source(), cols->items(), progress) : Represented();
  const RepresentedSpan across = cols ? RepresentedSpan(right) : RepresentedSpan(left);
  if (format == ArrayFormat::kNpy)
    write_in_strips(args, *branch.kernel, left, across, !cols, progress);
  else
    write_text(args, *branch.kernel, left, across, progress);
  if (args.common.json)
    print_json({{"out", args.out}, {"rows", left.size()}, {"cols", across.size()}});
  else
    fmt::print("{}: {} x {}\n", args.out, left.size(), across.size());
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
  app.add_option("--memory-mib", args->memory_mib,
                 "of a .npy file, memory for the rows that are computed at a time; the sets "
                 "themselves come on top")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  args->recipe.add_to(app);
  args->common.add_to(app);
  return [args] { return gram(*args); };
}

}  // namespace muster::cli
