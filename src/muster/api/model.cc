#include "muster/api/model_state.h"
#include "muster/api/run.h"
#include "muster/core/error.h"
#include "muster/crossval/cross_validation.h"
#include "muster/dataset/file_names.h"
#include "muster/pipeline/universal_file.h"
#include "muster/pipeline/version.h"
#include "muster/source/cached_source.h"
#include "muster/source/input_source.h"
#include "muster/store/safetensors.h"

namespace muster {
namespace {

// One item alone, so that a batch gives the same bytes as its items one by one.
Prediction predict_item(const Model::State& state, const SetSource& source, size_t item) {
  return state.prediction(state.ensemble.predict(source, {&item, 1}, {}), 0);
}

// Branches with the same feature share its extraction.
Prediction predict_alone(const Model::State& state, Inputs inputs, size_t item) {
  auto own = std::make_unique<InputSource>(inputs.subspan(item, 1), item);
  if (state.ensemble.branches().size() == 1) return predict_item(state, *own, 0);
  return predict_item(state, CachedSource(std::move(own)), 0);
}

// With the features of all picture files made first, or found, in the cache on disk; null if there
// is to be none.
std::unique_ptr<const SetSource> stored_features(const Ensemble& ensemble, Inputs items,
                                                 const Run& run) {
  if (run.source().disk.folder.empty() || !ensemble.branches()[0].extractor) return nullptr;
  auto source = std::make_unique<CachedSource>(std::make_unique<InputSource>(items), run.source());
  std::vector<size_t> files;
  for (size_t i = 0; i < items.size(); ++i) {
    const Input item = items[i];
    const auto* path = std::get_if<std::filesystem::path>(&item.value());
    if (path && item_kind(*path) == ItemKind::kImages) files.push_back(i);
  }
  for (const Extraction* extraction : ensemble.extractions())
    source->prepare(extraction, files, run.progress());
  return source;
}

}  // namespace

std::string version() { return kVersion; }

Prediction Model::predict(const Input& item) const {
  return predict_alone(*state_, Inputs(std::span(&item, 1)), 0);
}

std::vector<Answer> Model::predict(Inputs items, const RunOptions& options) const {
  const Run run(options, "predict");
  const std::unique_ptr<const SetSource> stored = stored_features(state_->ensemble, items, run);
  std::vector<std::optional<Answer>> answers(items.size());
  ProgressStep step(run.progress(), "predicting", items.size());
  parallel_for(items.size(), 1, [&](size_t i, size_t) {
    try {
      answers[i] = stored ? predict_item(*state_, *stored, i) : predict_alone(*state_, items, i);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kData) throw;
      answers[i] = error;
    }
    step.tick();
  });
  std::vector<Answer> out;
  out.reserve(answers.size());
  for (std::optional<Answer>& answer : answers) out.push_back(*std::move(answer));
  return out;
}

void Model::save(const std::filesystem::path& path) const { state_->ensemble.save(path); }

std::vector<std::byte> Model::bytes() const {
  return format_safetensors(state_->ensemble.tensors(), "model");
}

void Model::save_universal(const std::filesystem::path& path) const {
  const Pipeline& pipeline = state_->ensemble.members()[0];
  if (state_->ensemble.fused())
    throw usage_error("{}: the model is fused; take the mixture from one of its members",
                      path.string());
  require_universal_stage(pipeline.plan(), path.string());
  muster::save_universal(pipeline.plan().branches[0], pipeline.branches()[0], path);
}

const std::vector<std::string>& Model::class_names() const { return *state_->class_names; }

std::string Model::recipe() const { return state_->ensemble.members()[0].plan().recipe().text(); }

const FitReport& Model::report() const { return state_->report; }

std::optional<FitFacts> fit_facts(const Pipeline& pipeline) {
  const FitStatistics* statistics = pipeline.classifier().statistics();
  if (!statistics) return std::nullopt;
  FitFacts out;
  out.parameter = statistics->parameter;
  out.C = statistics->C;
  out.folds = statistics->folds;
  for (const CvRow& row : statistics->table) out.tried.push_back({row.C, row.score});
  if (const auto& found = statistics->indefinite)
    out.indefinite = {found->smallest_eigenvalue, found->largest_eigenvalue, found->negative};
  if (const auto& reached = statistics->convergence)
    out.convergence = {reached->steps, reached->violation, reached->reached};
  return out;
}

ModelInfo Model::info() const {
  const Ensemble& ensemble = state_->ensemble;
  ModelInfo out;
  out.class_names = class_names();
  out.multi_label = ensemble.multi_label();
  out.of_pictures = ensemble.branches()[0].extractor.has_value();
  for (size_t m = 0; m < ensemble.members().size(); ++m) {
    const Pipeline& member = ensemble.members()[m];
    out.members.push_back({member.plan().recipe().text(), member.seed(), ensemble.weights()[m],
                           member.training() != nullptr, member.class_mixtures() != nullptr,
                           fit_facts(member),
                           member.choice() ? std::optional(*member.choice()) : std::nullopt});
  }
  return out;
}

Model load(const std::filesystem::path& path) {
  return Model(std::make_shared<Model::State>(Ensemble::load(path), FitReport(), path.string()));
}

Model load(std::span<const std::byte> bytes) {
  const std::string name = "model";
  return Model(std::make_shared<Model::State>(
      Ensemble::load(std::make_shared<const TensorMap>(parse_safetensors(bytes, name)), name)));
}

Model fuse(std::span<const Model> members, std::span<const double> weights) {
  if (members.size() < 2) throw usage_error("fuse: name two models or more");
  if (!weights.empty() && weights.size() != members.size())
    throw usage_error("fuse: {} weights for {} models; give one per model", weights.size(),
                      members.size());
  std::vector<Pipeline> pipelines;
  std::vector<double> shares;
  std::vector<std::string> names;
  for (size_t m = 0; m < members.size(); ++m) {
    const double weight = weights.empty() ? 1 : weights[m];
    if (!(weight >= 1 / kLargestFusionWeight && weight <= kLargestFusionWeight))
      throw usage_error("fuse: weight {}: allowed are {:g} to {:g}", weight,
                        1 / kLargestFusionWeight, kLargestFusionWeight);
    const Ensemble& ensemble = members[m].state().ensemble;
    const std::string& file = members[m].state().file;
    double total = 0;
    for (const double own : ensemble.weights()) total += own;
    // The members of a model that is fused already share its weight.
    for (size_t i = 0; i < ensemble.members().size(); ++i) {
      pipelines.push_back(ensemble.members()[i]);
      shares.push_back(weight * ensemble.weights()[i] / total);
      names.push_back(file.empty() ? fmt::format("model {}", m + 1) : file);
    }
  }
  return Model(std::make_shared<Model::State>(
      Ensemble::fuse(std::move(pipelines), std::move(shares), names)));
}

}  // namespace muster
