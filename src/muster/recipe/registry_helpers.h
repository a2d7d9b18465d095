// From a method's own typed functions to a line of the registry's table. Used by registry.cc only.
#pragma once

#include "muster/classify/linear_training.h"
#include "muster/dnn/network_module.h"
#include "muster/features/dnn.h"
#include "muster/recipe/registry.h"
#include "muster/setkernel/feature_kernel.h"

namespace muster {

template <class Options>
std::unique_ptr<AnyOptions> default_options() {
  return std::make_unique<OptionsOf<Options>>();
}

template <class Options>
const Options& typed(const AnyOptions& options) {
  return dynamic_cast<const OptionsOf<Options>&>(options).values;
}

// Every extractor's own options and the size of the picture it works on.
template <class Options>
struct WithMaxSide {
  Options own;
  int max_side = 300;

  void fields(Fields& f) {
    own.fields(f);
    f("max_side", max_side,
      "pictures with a longer side (in pixels) are shrunk to it first; 0 keeps their size")
        .range(0, 100000);
  }
};

template <class Options>
StageEntry extractor(std::string name, std::string summary, std::string paper,
                     std::unique_ptr<Extractor> (*make)(const Options&)) {
  using All = WithMaxSide<Options>;
  ExtractorStage functions{[make](const AnyOptions& o) { return make(typed<All>(o).own); },
                           [](const AnyOptions& o) { return typed<All>(o).max_side; }};
  return {std::move(name),      std::move(summary),  std::move(paper), {},
          default_options<All>, std::move(functions)};
}

// The cells of a network, whose input has sizes of its own.
inline StageEntry network_extractor(std::string name, std::string summary, std::string paper) {
  ExtractorStage functions{
      [](const AnyOptions& o) { return make_dnn(typed<DnnOptions>(o)); },
      [](const AnyOptions& o) { return typed<DnnOptions>(o).longest_side(); },
      [](AnyOptions& o) { resolve_dnn(dynamic_cast<OptionsOf<DnnOptions>&>(o).values); }};
  StageEntry out{
      std::move(name),     std::move(summary), std::move(paper), {}, default_options<DnnOptions>,
      std::move(functions)};
  out.in_build = [] { return !find_network_module().empty(); };
  return out;
}

template <class Options>
StageEntry reducer(std::string name, std::string summary, std::string paper, Traits traits,
                   std::unique_ptr<Reducer> (*fit)(const Options&, const Sample&),
                   std::unique_ptr<Reducer> (*load)(const Options&, const TensorReader&)) {
  ReducerStage functions{true,
                         [fit](const AnyOptions& o, const Sample& sample, Rng) {
                           return fit(typed<Options>(o), sample);
                         },
                         [load](const AnyOptions& o, size_t, const TensorReader& in) {
                           return load(typed<Options>(o), in);
                         }};
  return {std::move(name), std::move(summary),       std::move(paper),
          traits,          default_options<Options>, std::move(functions)};
}

// A reduction that learns nothing: all it needs is the width of the vectors.
template <class Options>
StageEntry plain_reducer(std::string name, std::string summary, std::string paper, Traits traits,
                         std::unique_ptr<Reducer> (*make)(const Options&, size_t)) {
  ReducerStage functions{false,
                         [make](const AnyOptions& o, const Sample& sample, Rng) {
                           return make(typed<Options>(o), sample.vectors.cols());
                         },
                         [make](const AnyOptions& o, size_t input_dim, const TensorReader&) {
                           return make(typed<Options>(o), input_dim);
                         }};
  return {std::move(name), std::move(summary),       std::move(paper),
          traits,          default_options<Options>, std::move(functions)};
}

inline StageEntry plain_reducer(std::string name, std::string summary, std::string paper,
                                Traits traits, std::unique_ptr<Reducer> (*make)(size_t)) {
  ReducerStage functions{
      false,
      [make](const AnyOptions&, const Sample& sample, Rng) { return make(sample.vectors.cols()); },
      [make](const AnyOptions&, size_t input_dim, const TensorReader&) { return make(input_dim); }};
  return {std::move(name), std::move(summary),         std::move(paper),
          traits,          default_options<NoOptions>, std::move(functions)};
}

// What set features and set kernels share: fitted to a sample, loaded, or made from a universal
// mixture.
template <class Stage, class Options, class Made>
Stage representation(Made (*fit)(const Options&, const Sample&, Rng, const Progress&),
                     Made (*load)(const Options&, const TensorReader&),
                     Made (*from_universal)(const Options&, Universal)) {
  Stage functions{
      [fit](const AnyOptions& o, const Sample& sample, Rng rng, const Progress& progress) {
        return fit(typed<Options>(o), sample, rng, progress);
      },
      [load](const AnyOptions& o, const TensorReader& in) { return load(typed<Options>(o), in); }};
  if (from_universal)
    functions.from_universal = [from_universal](const AnyOptions& o, Universal universal) {
      return from_universal(typed<Options>(o), std::move(universal));
    };
  return functions;
}

template <class Options>
StageEntry set_feature(std::string name, std::string summary, std::string paper, Traits traits,
                       SetFeature (*fit)(const Options&, const Sample&, Rng, const Progress&),
                       SetFeature (*load)(const Options&, const TensorReader&),
                       SetFeature (*from_universal)(const Options&, Universal) = nullptr) {
  auto functions = representation<SetFeatureStage, Options>(fit, load, from_universal);
  return {std::move(name), std::move(summary),       std::move(paper),
          traits,          default_options<Options>, std::move(functions)};
}

inline StageEntry vector_scaling(std::string name, std::string summary, std::string paper) {
  VectorScalingStage functions{[](ConstMatrixView training) { return Standardiser(training); },
                               Standardiser::load};
  return {std::move(name),     std::move(summary), std::move(paper), {}, default_options<NoOptions>,
          std::move(functions)};
}

template <class Options>
StageEntry feature_kernel(std::string name, std::string summary, std::string paper, Traits traits,
                          FeatureKernelKind kind) {
  FeatureKernelStage functions{
      [kind](const AnyOptions& o, std::shared_ptr<const SetFeature> feature) {
        std::optional<double> gamma;
        if constexpr (std::is_same_v<Options, WidthOptions>) gamma = typed<Options>(o).gamma;
        return make_feature_kernel(kind, gamma, std::move(feature));
      },
      [kind](std::shared_ptr<const SetFeature> feature, const TensorReader& in) {
        return load_feature_kernel(kind, std::move(feature), in);
      }};
  return {std::move(name), std::move(summary),       std::move(paper),
          traits,          default_options<Options>, std::move(functions)};
}

template <class Options>
StageEntry set_kernel(std::string name, std::string summary, std::string paper, Traits traits,
                      std::shared_ptr<const SetKernel> (*fit)(const Options&, const Sample&, Rng,
                                                              const Progress&),
                      std::shared_ptr<const SetKernel> (*load)(const Options&, const TensorReader&),
                      std::shared_ptr<const SetKernel> (*from_universal)(const Options&,
                                                                         Universal) = nullptr) {
  auto functions = representation<SetKernelStage, Options>(fit, load, from_universal);
  StageEntry entry{std::move(name), std::move(summary),       std::move(paper),
                   traits,          default_options<Options>, std::move(functions)};
  constexpr bool kMayBeDistance = requires(const Options& o) { o.is_distance(); };
  constexpr bool kMayBeMercer = requires(const Options& o) { o.is_mercer(); };
  if constexpr (kMayBeDistance || kMayBeMercer)
    entry.traits_in = [traits](const AnyOptions& o) {
      Traits out = traits;
      if constexpr (kMayBeMercer)
        out.psd = typed<Options>(o).is_mercer() ? Psd::kAlways : Psd::kConditional;
      if constexpr (kMayBeDistance) out.distance = typed<Options>(o).is_distance();
      if (out.distance) out.psd = Psd::kNo;
      return out;
    };
  if constexpr (requires(const Options& o) { o.learns_weights(); })
    entry.traits_in = [traits](const AnyOptions& o) {
      Traits out = traits;
      out.learns_weights = typed<Options>(o).learns_weights();
      return out;
    };
  return entry;
}

template <class Options>
StageEntry kernel_transform(
    std::string name, std::string summary, std::string paper, Traits traits,
    std::shared_ptr<const SetKernel> (*make)(const Options&, std::shared_ptr<const SetKernel>),
    std::shared_ptr<const SetKernel> (*load)(const Options&, std::shared_ptr<const SetKernel>,
                                             const TensorReader&)) {
  KernelTransformStage functions{
      [make](const AnyOptions& o, std::shared_ptr<const SetKernel> base) {
        return make(typed<Options>(o), std::move(base));
      },
      [load](const AnyOptions& o, std::shared_ptr<const SetKernel> base, const TensorReader& in) {
        return load(typed<Options>(o), std::move(base), in);
      }};
  return {std::move(name), std::move(summary),       std::move(paper),
          traits,          default_options<Options>, std::move(functions)};
}

inline StageEntry kernel_transform(
    std::string name, std::string summary, std::string paper, Traits traits,
    std::shared_ptr<const SetKernel> (*make)(std::shared_ptr<const SetKernel>),
    std::shared_ptr<const SetKernel> (*load)(std::shared_ptr<const SetKernel>,
                                             const TensorReader&)) {
  KernelTransformStage functions{
      [make](const AnyOptions&, std::shared_ptr<const SetKernel> base) {
        return make(std::move(base));
      },
      [load](const AnyOptions&, std::shared_ptr<const SetKernel> base, const TensorReader& in) {
        return load(std::move(base), in);
      }};
  return {std::move(name), std::move(summary),         std::move(paper),
          traits,          default_options<NoOptions>, std::move(functions)};
}

template <class Options>
StageEntry vector_classifier(
    std::string name, std::string summary, std::string paper,
    std::unique_ptr<Classifier> (*fit)(const Options&, ConstMatrixView, const Labels&, Rng,
                                       const Progress&),
    std::unique_ptr<Classifier> (*load)(const Options&, const TensorReader&), Traits traits = {}) {
  VectorClassifierStage functions{
      [fit](const AnyOptions& o, ConstMatrixView vectors, const Labels& labels, Rng rng,
            const Progress& progress) {
        return fit(typed<Options>(o), vectors, labels, rng, progress);
      },
      [load](const AnyOptions& o, const TensorReader& in) { return load(typed<Options>(o), in); }};
  return {std::move(name), std::move(summary),       std::move(paper),
          traits,          default_options<Options>, std::move(functions)};
}

// A linear classifier: its own options, and how its branches are weighed before it.
template <class Options>
struct WithBranchWeights {
  Options own;
  enum class Weights { kNone, kHeldOut } weights = Weights::kNone;

  void fields(Fields& f) {
    own.fields(f);
    f.choice("weights", weights, {"none", "held-out"},
             "of several branches: none: all count the same; held-out: those with which ridge "
             "regression errs least on training items that it has not seen");
  }
};

template <class Options>
StageEntry linear_classifier(
    std::string name, std::string summary, std::string paper,
    std::unique_ptr<Classifier> (*fit)(const Options&, ConstMatrixView, const Labels&, Rng,
                                       const Progress&),
    std::unique_ptr<Classifier> (*fit_sharded)(const Options&, ShardedVectors, const Labels&, Rng,
                                               const Progress&),
    std::unique_ptr<Classifier> (*load)(const Options&, const TensorReader&)) {
  using All = WithBranchWeights<Options>;
  VectorClassifierStage functions{
      [fit](const AnyOptions& o, ConstMatrixView vectors, const Labels& labels, Rng rng,
            const Progress& progress) {
        return fit(typed<All>(o).own, vectors, labels, rng, progress);
      },
      [load](const AnyOptions& o, const TensorReader& in) { return load(typed<All>(o).own, in); },
      [](const AnyOptions& o) { return typed<All>(o).weights == All::Weights::kHeldOut; },
      [](const AnyOptions& o, size_t num_items, size_t dim) {
        return trains_sharded(typed<All>(o).own.solver, num_items, dim);
      },
      [fit_sharded](const AnyOptions& o, ShardedVectors vectors, const Labels& labels, Rng rng,
                    const Progress& progress) {
        return fit_sharded(typed<All>(o).own, std::move(vectors), labels, rng, progress);
      }};
  return {std::move(name),      std::move(summary),  std::move(paper), {},
          default_options<All>, std::move(functions)};
}

// Every classifier on a Gram: its own options, and how the kernels of all branches are weighed
// before it.
template <class Options>
struct WithFusion {
  Options own;
  // none, then the rules of WeightRule.
  enum class Weights {
    kNone,
    kUniform,
    kQp,
    kLp,
    kAlignment,
    kSdp,
    kMkl,
    kHeldOut
  } weights = Weights::kNone;
  LearningOptions learning;

  void fields(Fields& f) {
    own.fields(f);
    std::vector<std::string> names = {"none"};
    names.insert(names.end(), kWeightRuleNames.begin(), kWeightRuleNames.end());
    f.choice(
         "weights", weights, names,
         "of the kernels of all branches and their cells, learned together; none: equal branches")
        .paper("DSPM 5");
    learning.fields(f);
  }

  std::optional<WeightLearning> weight_learning() const {
    if (weights == Weights::kNone) return {};
    return WeightLearning{static_cast<WeightRule>(static_cast<int>(weights) - 1), learning};
  }
};

// Kernel and C are chosen together (gram_choice.h).
template <class Options>
StageEntry gram_classifier(
    const char* name, std::string summary, std::string paper,
    KernelChoice (*choose)(const Options&, const std::vector<MatrixView<const double>>&,
                           const GramOfFold&, const Labels&, const Rng&, const Progress&),
    std::unique_ptr<Classifier> (*fit)(const Options&, const DefiniteGram&, const Labels&,
                                       const KernelChoice&, const Progress&),
    std::unique_ptr<Classifier> (*load)(const Options&, const TensorReader&)) {
  const auto choose_and_fit = [name, choose, fit](
                                  const AnyOptions& o, const GramCandidates& candidates, Psd psd,
                                  const Labels& labels, Rng rng, const Progress& progress) {
    const Options& options = typed<WithFusion<Options>>(o).own;
    const GramTrainer trainer{
        name, options.indefinite,
        [&](const std::vector<MatrixView<const double>>& grams, const GramOfFold& of_fold) {
          return choose(options, grams, of_fold, labels, rng, progress);
        },
        [&](const DefiniteGram& gram, const KernelChoice& choice) {
          return fit(options, gram, labels, choice, progress);
        }};
    return train_on_best(trainer, candidates, psd == Psd::kAlways);
  };
  GramClassifierStage functions{
      choose_and_fit,
      [load](const AnyOptions& o, const TensorReader& in) {
        return load(typed<WithFusion<Options>>(o).own, in);
      },
      [](const AnyOptions& o) { return typed<WithFusion<Options>>(o).weight_learning(); }};
  return {name,
          std::move(summary),
          std::move(paper),
          {},
          default_options<WithFusion<Options>>,
          std::move(functions)};
}

// On vectors or on a Gram, with the options of the latter.
template <class Options>
StageEntry either_classifier(
    std::string name, std::string summary, std::string paper,
    std::unique_ptr<Classifier> (*fit)(const Options&, ConstMatrixView, const Labels&, Rng,
                                       const Progress&),
    std::unique_ptr<Classifier> (*load)(const Options&, const TensorReader&),
    GramChoice (*fit_on_gram)(const Options&, const GramCandidates&, const Labels&, const Rng&),
    std::unique_ptr<Classifier> (*load_on_gram)(const Options&, const TensorReader&)) {
  using All = WithFusion<Options>;
  EitherClassifierStage functions{
      {[fit](const AnyOptions& o, ConstMatrixView vectors, const Labels& labels, Rng rng,
             const Progress& progress) {
         return fit(typed<All>(o).own, vectors, labels, rng, progress);
       },
       [load](const AnyOptions& o, const TensorReader& in) { return load(typed<All>(o).own, in); }},
      {[fit_on_gram](const AnyOptions& o, const GramCandidates& candidates, Psd,
                     const Labels& labels, const Rng& rng, const Progress&) {
         return fit_on_gram(typed<All>(o).own, candidates, labels, rng);
       },
       [load_on_gram](const AnyOptions& o, const TensorReader& in) {
         return load_on_gram(typed<All>(o).own, in);
       },
       [](const AnyOptions& o) { return typed<All>(o).weight_learning(); }}};
  return {std::move(name),      std::move(summary),  std::move(paper), {},
          default_options<All>, std::move(functions)};
}

}  // namespace muster
