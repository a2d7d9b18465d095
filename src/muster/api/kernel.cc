#include "muster/api/represent.h"
#include "muster/setkernel/gram.h"
#include "muster/source/cached_source.h"
#include "muster/source/input_source.h"
#include "muster/store/safetensors.h"

namespace muster {

class Kernel::State {
 public:
  FittedRepresentation fitted;

  Represented represent(Inputs items, const Run& run) const {
    const InputSource source(items);
    fitted.check_kinds(source, "kernel");
    return represent_items(fitted.branch, source, all_items_of(source), run.progress());
  }
  // With the same spans for both, exactly symmetric.
  KernelMatrix values(RepresentedSpan rows, RepresentedSpan cols, const Run& run) const {
    KernelMatrix out{rows.size(), cols.size(), std::vector<double>(rows.size() * cols.size())};
    fitted.branch.kernel->gram(rows, cols, MatrixView(out.values.data(), out.rows, out.cols),
                               run.progress());
    return out;
  }
};

Kernel fit_kernel(const std::string& recipe, Inputs items, const RepresentOptions& options) {
  const Run run(run_options(options), "gram");
  const CachedSource source(std::make_unique<InputSource>(items), run.source());
  BranchPlan plan = plan_kernel(recipe, options.set, common_kind(source, "gram"), run);
  return Kernel(std::make_shared<Kernel::State>(
      Kernel::State{fit_to(std::move(plan), source, options.seed, run)}));
}

KernelMatrix Kernel::training_gram(const RunOptions& options) const {
  const Run run(options, "gram");
  check_gram_memory(size(), size());
  const RepresentedSpan training = state_->fitted.branch.training;
  return state_->values(training, training, run);
}

KernelMatrix Kernel::against_training(Inputs items, const RunOptions& options) const {
  const Run run(options, "gram");
  check_gram_memory(items.size(), size());
  return state_->values(state_->represent(items, run), state_->fitted.branch.training, run);
}

KernelMatrix Kernel::gram(Inputs items, const RunOptions& options) const {
  const Run run(options, "gram");
  check_gram_memory(items.size(), items.size());
  const Represented all = state_->represent(items, run);
  return state_->values(all, all, run);
}

KernelMatrix Kernel::gram(Inputs rows, Inputs cols, const RunOptions& options) const {
  const Run run(options, "gram");
  check_gram_memory(rows.size(), cols.size());
  const Represented left = state_->represent(rows, run), right = state_->represent(cols, run);
  return state_->values(left, right, run);
}

size_t Kernel::size() const { return state_->fitted.branch.training.size(); }

std::string Kernel::recipe() const { return state_->fitted.recipe(); }

std::vector<std::byte> Kernel::bytes() const {
  return format_safetensors(state_->fitted.tensors(FileKind::kKernel), "kernel");
}

void Kernel::save(const std::filesystem::path& path) const {
  write_safetensors(path, state_->fitted.tensors(FileKind::kKernel));
}

Kernel Kernel::load(std::span<const std::byte> bytes) {
  const std::string name = "kernel";
  return Kernel(std::make_shared<State>(
      State{FittedRepresentation::load(FileKind::kKernel, parse_safetensors(bytes, name), name)}));
}

Kernel Kernel::load(const std::filesystem::path& path) {
  return Kernel(std::make_shared<State>(
      State{FittedRepresentation::load(FileKind::kKernel, read_safetensors(path), path.string())}));
}

}  // namespace muster
