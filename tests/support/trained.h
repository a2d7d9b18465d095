// Small trained models with their items in memory.
#pragma once

#include <vector>

#include "muster/draw/synth.h"
#include "muster/pipeline/ensemble.h"
#include "muster/pipeline/fit.h"
#include "muster/source/cached_source.h"
#include "muster/source/input_source.h"
#include "support/datasets.h"

namespace muster {

inline Ensemble fit_ensemble(const std::string& recipe, Inputs items, const Labels& labels) {
  const CachedSource source(std::make_unique<InputSource>(items));
  return Ensemble(
      fit_pipeline(plan_recipe(parse_recipe(recipe)), source, all_items_of(source), labels, 7, {}));
}

// Sets of vectors of three classes, without places.
struct LabelledSets {
  std::vector<Matrix<float>> data;
  std::vector<SetView> views;
  Labels labels;

  explicit LabelledSets(size_t count, int classes = 3, size_t dim = 5, size_t most_rows = 20) {
    for (int c = 0; c < classes; ++c) labels.class_names.push_back(fmt::format("class{}", c));
    for (size_t i = 0; i < count; ++i) {
      Rng rng = Rng(5).derive(i);
      const int label = static_cast<int>(i) % classes;
      data.push_back(class_vectors(4 + rng.below(most_rows - 3), dim, label, rng));
      labels.of_item.push_back({label});
    }
    for (const Matrix<float>& set : data)
      views.push_back({.vectors = set.data(), .rows = set.rows(), .dim = set.cols()});
  }
};

// Pictures by draw/synth.h.
struct SynthPictures {
  std::vector<Image> images;
  std::vector<PixelView> views;
  Labels labels;

  SynthPictures(int classes, int per_class, int width, int height, uint64_t seed) {
    labels.class_names = synth_class_names(classes);
    for (int i = 0; i < classes * per_class; ++i) {
      const Rng rng = Rng(seed).derive(static_cast<uint64_t>(i));
      images.push_back(synth_image(i % classes, width, height, rng));
      labels.of_item.push_back({i % classes});
    }
    for (const Image& image : images)
      views.push_back({.data = image.rgb.data(), .width = image.width, .height = image.height});
  }
};

}  // namespace muster
