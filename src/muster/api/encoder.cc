#include "muster/api/item_labels.h"
#include "muster/api/represent.h"
#include "muster/core/error.h"
#include "muster/pipeline/fit.h"
#include "muster/source/cached_source.h"
#include "muster/source/input_source.h"
#include "muster/source/readable.h"
#include "muster/store/libsvm_text.h"
#include "muster/store/npy.h"
#include "muster/store/safetensors.h"

namespace muster {

class Encoder::State {
 public:
  FittedRepresentation fitted;
};

namespace {

Encoder fit(const std::string& recipe, Inputs items, const Labels& labels,
            const RepresentOptions& options) {
  const Run run(run_options(options), "encode");
  const CachedSource source(std::make_unique<InputSource>(items), run.source());
  const ItemKind kind = common_kind(source, "encode");
  require_same_items(source);
  BranchPlan plan = plan_representation("encode", recipe, options.set, kind, run);
  if (plan.has_kernel())
    throw usage_error(
        "encode: the recipe '{}' gives a kernel, not vectors; use gram, or stop at the set feature",
        recipe);
  FittedBranch branch =
      fit_branch(plan, source, all_items_of(source), labels, Rng(options.seed), run.progress());
  return Encoder(
      std::make_shared<Encoder::State>(Encoder::State{{std::move(plan), std::move(branch)}}));
}

}  // namespace

Encoder fit_encoder(const std::string& recipe, Inputs items, const RepresentOptions& options) {
  return fit(recipe, items, Labels(), options);
}

Encoder fit_encoder(const std::string& recipe, Inputs items, std::span<const std::string> labels,
                    const RepresentOptions& options) {
  return fit(recipe, items, make_labels(labels, items.size()), options);
}

Vectors Encoder::encode(Inputs items, const RunOptions& options) const {
  const Run run(options, "encode");
  const InputSource source(items);
  state_->fitted.check_kinds(source, "encoder");
  require_same_items(source);
  return to_vectors(
      encode_items(state_->fitted.branch, source, all_items_of(source), run.progress()));
}

size_t Encoder::dim() const { return state_->fitted.branch.feature->dim(); }

std::string Encoder::recipe() const { return state_->fitted.recipe(); }

std::vector<std::byte> Encoder::bytes() const {
  return format_safetensors(state_->fitted.tensors(FileKind::kEncoder), "encoder");
}

void Encoder::save(const std::filesystem::path& path) const {
  write_safetensors(path, state_->fitted.tensors(FileKind::kEncoder));
}

Encoder Encoder::load(std::span<const std::byte> bytes) {
  const std::string name = "encoder";
  return Encoder(std::make_shared<State>(
      State{FittedRepresentation::load(FileKind::kEncoder, parse_safetensors(bytes, name), name)}));
}

Encoder Encoder::load(const std::filesystem::path& path) {
  return Encoder(std::make_shared<State>(State{
      FittedRepresentation::load(FileKind::kEncoder, read_safetensors(path), path.string())}));
}

void write_vectors(const std::filesystem::path& path, const Vectors& vectors) {
  check_array_file(path);
  const bool text = array_format(path) == ArrayFormat::kLibsvm;
  const ConstMatrixView values(vectors.values.data(), vectors.rows, vectors.dim);
  if (text)
    write_libsvm(path, values, std::vector<double>(vectors.rows));
  else
    write_npy(path, values);
}

}  // namespace muster
