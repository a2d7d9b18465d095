#include "muster/api/item_labels.h"
#include "muster/api/represent.h"
#include "muster/core/error.h"
#include "muster/pipeline/fit.h"
#include "muster/source/cached_source.h"
#include "muster/source/input_source.h"
#include "muster/store/file_kind.h"
#include "muster/store/libsvm_text.h"
#include "muster/store/npy.h"
#include "muster/store/safetensors.h"

namespace muster {

class Encoder::State {
 public:
  BranchPlan plan;
  FittedBranch branch;

  std::string recipe() const { return Plan{{plan}, std::nullopt}.recipe().text(); }
};

namespace {

Encoder fit(const std::string& recipe, Inputs items, const Labels& labels,
            const RepresentOptions& options) {
  const Run run(run_options(options), "encode");
  const CachedSource source(std::make_unique<InputSource>(items), run.source());
  const ItemKind kind = common_kind(source, "encode");
  BranchPlan plan = plan_representation("encode", recipe, options.set, kind, run);
  if (plan.has_kernel())
    throw usage_error(
        "encode: the recipe '{}' gives a kernel, not vectors; use gram, or stop at the set feature",
        recipe);
  FittedBranch branch =
      fit_branch(plan, source, all_items_of(source), labels, Rng(options.seed), run.progress());
  return Encoder(
      std::make_shared<Encoder::State>(Encoder::State{std::move(plan), std::move(branch)}));
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
  for (size_t i = 0; i < source.size(); ++i)
    if ((source.kind(i) == ItemKind::kImages) != (state_->branch.extraction != nullptr))
      throw data_error("{}: the encoder was fitted to {}", source.name(i),
                       state_->branch.extraction ? "pictures" : "vector sets");
  Matrix<float> vectors =
      encode_items(state_->branch, source, all_items_of(source), run.progress());
  const auto values = vectors.values();
  return {vectors.rows(), vectors.cols(), std::vector<float>(values.begin(), values.end())};
}

size_t Encoder::dim() const { return state_->branch.feature->dim(); }

std::string Encoder::recipe() const { return state_->recipe(); }

void Encoder::save(const std::filesystem::path& path) const {
  TensorMap map;
  TensorWriter out(map);
  put_kind(FileKind::kEncoder, out);
  out.put_text("recipe", state_->recipe());
  out.put("input_dim", static_cast<double>(state_->branch.input_dim));
  save_branch(state_->branch, out.scope("branch"));
  write_safetensors(path, map);
}

Encoder Encoder::load(const std::filesystem::path& path) {
  const TensorMap map = read_safetensors(path);
  const TensorReader in(map);
  require_kind(FileKind::kEncoder, in, path.string());
  Plan plan;
  try {
    plan = plan_recipe(parse_recipe(in.text("recipe")));
  } catch (const Error& error) {
    throw data_error("{}: its recipe cannot be used: {}", path.string(), error.what());
  }
  in.require(plan.branches.size() == 1 && !plan.classifier && plan.branches[0].set_feature &&
                 !plan.branches[0].has_kernel(),
             "the recipe is not that of an encoder");
  FittedBranch branch = load_branch(
      plan.branches[0], true, static_cast<size_t>(in.number("input_dim")), in.scope("branch"));
  return Encoder(std::make_shared<State>(State{plan.branches[0], std::move(branch)}));
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
