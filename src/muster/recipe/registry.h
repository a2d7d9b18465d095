// Every method, by name: the one table that the command, the recipes, the documentation and the
// contract tests read. Adding a method means its own files, one line in registry.cc and one page in
// docs/methods/.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "muster/classify/classifier.h"
#include "muster/classify/gram_choice.h"
#include "muster/cluster/sharded_vectors.h"
#include "muster/core/options.h"
#include "muster/features/extractor.h"
#include "muster/kernelweights/kernel_weights.h"
#include "muster/mixture/universal.h"
#include "muster/recipe/recipe.h"
#include "muster/reduce/reducer.h"
#include "muster/setfeature/set_feature.h"
#include "muster/setkernel/set_kernel.h"

namespace muster {

// Picture -> set. Every extractor also has the option max_side, or sides, which the pipeline
// applies on decoding.
struct ExtractorStage {
  std::function<std::unique_ptr<Extractor>(const AnyOptions&)> make;
  std::function<int(const AnyOptions&)> max_side_px;
  // Spells out what a file decides; empty if there is nothing of the kind.
  std::function<void(AnyOptions&)> resolve = {};
};

// Set -> set. `sample` is empty but for its width if needs_sample is false.
struct ReducerStage {
  bool needs_sample;
  std::function<std::unique_ptr<Reducer>(const AnyOptions&, const Sample& sample, Rng)> fit;
  std::function<std::unique_ptr<Reducer>(const AnyOptions&, size_t input_dim, const TensorReader&)>
      load;
};

// Set -> vector.
struct SetFeatureStage {
  std::function<SetFeature(const AnyOptions&, const Sample&, Rng, const Progress&)> fit;
  std::function<SetFeature(const AnyOptions&, const TensorReader&)> load;
  // If it rests on a universal mixture: made from one learned elsewhere. Such a stage saves its
  // mixture under "universal".
  std::function<SetFeature(const AnyOptions&, Universal)> from_universal = {};
};

// Vector -> vector, learned from the vectors of all training items.
struct VectorScalingStage {
  std::function<Standardiser(ConstMatrixView training)> fit;
  std::function<Standardiser(const TensorReader&)> load;
};

// Vectors of a set feature -> Gram.
struct FeatureKernelStage {
  std::function<std::shared_ptr<const SetKernel>(const AnyOptions&,
                                                 std::shared_ptr<const SetFeature>)>
      make;
  std::function<std::shared_ptr<const SetKernel>(std::shared_ptr<const SetFeature>,
                                                 const TensorReader&)>
      load;
};

// Sets -> Gram.
struct SetKernelStage {
  std::function<std::shared_ptr<const SetKernel>(const AnyOptions&, const Sample&, Rng,
                                                 const Progress&)>
      fit;
  std::function<std::shared_ptr<const SetKernel>(const AnyOptions&, const TensorReader&)> load;
  // As for set features.
  std::function<std::shared_ptr<const SetKernel>(const AnyOptions&, Universal)> from_universal = {};
};

// Kernel -> kernel: of any stage that gives one, or of another transform.
struct KernelTransformStage {
  std::function<std::shared_ptr<const SetKernel>(const AnyOptions&,
                                                 std::shared_ptr<const SetKernel> base)>
      make;
  std::function<std::shared_ptr<const SetKernel>(
      const AnyOptions&, std::shared_ptr<const SetKernel> base, const TensorReader&)>
      load;
};

// Vectors + labels -> scores.
struct VectorClassifierStage {
  std::function<std::unique_ptr<Classifier>(const AnyOptions&, ConstMatrixView, const Labels&, Rng,
                                            const Progress&)>
      fit;
  std::function<std::unique_ptr<Classifier>(const AnyOptions&, const TensorReader&)> load;
  // Whether its options want branches weighed by what the labels say (weights=held-out); empty if
  // it has no such option.
  std::function<bool(const AnyOptions&)> weighs_branches = {};
  // On vectors that stay on the ranks that made them, and whether so many are; none for a
  // classifier that needs all of them in one place.
  std::function<bool(const AnyOptions&, size_t num_items, size_t dim)> trains_sharded = {};
  std::function<std::unique_ptr<Classifier>(const AnyOptions&, ShardedVectors, const Labels&, Rng,
                                            const Progress&)>
      fit_sharded = {};
};

enum class Psd { kAlways, kConditional, kNo };

// Gram + labels -> scores. The best candidate by cross-validation is chosen. Grams that are
// positive semi-definite always (`psd`) need no test of it.
struct GramClassifierStage {
  std::function<GramChoice(const AnyOptions&, const GramCandidates&, Psd psd, const Labels&, Rng,
                           const Progress&)>
      fit;
  std::function<std::unique_ptr<Classifier>(const AnyOptions&, const TensorReader&)> load;
  // How the kernels of all branches are to be weighed; none if each has its own weights.
  std::function<std::optional<WeightLearning>(const AnyOptions&)> weight_learning;
};

// Either of the two: vectors, unless a branch ends in a kernel or kernels are to be weighed.
struct EitherClassifierStage : VectorClassifierStage, GramClassifierStage {};

using StageFunctions =
    std::variant<ExtractorStage, ReducerStage, SetFeatureStage, FeatureKernelStage, SetKernelStage,
                 KernelTransformStage, VectorClassifierStage, GramClassifierStage,
                 VectorScalingStage, EitherClassifierStage>;

// What the pipeline and the contract tests may rely on. The last four are the columns of PMK's
// table 1.
struct Traits {
  // Kernels: positive semi-definite always, on some data, or not. Transforms: what they make of any
  // kernel; kConditional leaves it as it was.
  Psd psd = Psd::kAlways;
  bool non_negative = false;  // kernels, classifiers: want vectors without negative components
  bool needs_places = false;  // sets without places are refused
  bool distance = false;      // kernels: values are distances, not similarities
  bool learns_weights =
      false;  // kernels: with these options, need labels for the weights of their parts
  bool co_occurrence = false;  // kernels: see which vectors of a set occur together
  bool model_free = true;      // kernels: assume no parametric model of a set
  bool unequal_sizes = true;   // kernels: keep what they promise between sets of unequal sizes
  const char* cost = "";       // kernels: of one pair of sets
};

struct StageEntry {
  std::string name;
  std::string summary;
  std::string paper;
  Traits traits;
  std::function<std::unique_ptr<AnyOptions>()> make_options;
  StageFunctions functions;
  // Traits with these options, if options change them; else empty.
  std::function<Traits(const AnyOptions&)> traits_in = {};
  // False if it is a module that is not installed; empty for what is always there.
  std::function<bool()> in_build = {};

  bool available() const { return !in_build || in_build(); }
  // "feature", "reduction", "set feature", "vector scaling", "vector kernel", "set kernel", "kernel
  // transform" or "classifier".
  std::string kind() const;
};

struct Preset {
  std::string name;
  std::string summary;
  std::string paper;
  std::string recipe;
};

const std::vector<StageEntry>& all_stages();
const std::vector<Preset>& all_presets();
// An unknown name is a usage error that suggests the nearest known one.
const StageEntry& find_stage(std::string_view name);
const Preset& find_preset(std::string_view name);
// The preset's recipe, or `method` itself parsed if it is a recipe (it has a '/').
Recipe recipe_of_method(std::string_view method);

}  // namespace muster
