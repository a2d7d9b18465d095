// Labelled sets that are made from a seed when they are asked for, and never stored: any number of
// them.
#pragma once

#include <string>

#include "muster/core/labels.h"
#include "muster/core/rng.h"
#include "muster/source/set_source.h"

namespace muster {

// Item i is of class i modulo their number: vectors around the class's centres and around centres
// that all classes share.
class GeneratedSource final : public SetSource {
 public:
  struct Shape {
    size_t classes = 4, vectors = 20, dim = 8;
    double own_share = 0.1;  // of vectors around centres of the class's own
  };

  GeneratedSource(size_t count, uint64_t seed, Shape shape)
      : count_(count), sets_(Rng(seed).derive("sets")), shape_(shape) {
    Rng rng = Rng(1).derive("centres");  // of all seeds, so that one can test what another trained
    for (size_t i = 0; i < (shape.classes + 1) * kCentres; ++i)
      for (size_t d = 0; d < shape.dim; ++d)
        centres_.push_back(static_cast<float>(2 * rng.normal()));
  }

  size_t size() const override { return count_; }
  std::string name(size_t item) const override { return "set " + std::to_string(item); }
  ItemKind kind(size_t) const override { return ItemKind::kVectorSets; }
  bool in_memory(size_t) const override { return true; }  // as good as
  VectorSet load(const Extraction*, size_t item) const override {
    Rng rng = sets_.derive(item);
    VectorSet out;
    out.vectors = Matrix<float>(shape_.vectors, shape_.dim);
    for (size_t v = 0; v < shape_.vectors; ++v) {
      const bool own = rng.uniform() < shape_.own_share;
      const size_t from = own ? item % shape_.classes : shape_.classes;
      const size_t centre = (from * kCentres + rng.below(kCentres)) * shape_.dim;
      for (size_t d = 0; d < shape_.dim; ++d)
        out.vectors(v, d) = centres_[centre + d] + static_cast<float>(rng.normal());
    }
    return out;
  }

  Labels labels() const {
    Labels out;
    for (size_t c = 0; c < shape_.classes; ++c)
      out.class_names.push_back("class " + std::to_string(c));
    for (size_t i = 0; i < count_; ++i)
      out.of_item.push_back({static_cast<int>(i % shape_.classes)});
    return out;
  }

 private:
  static constexpr size_t kCentres = 6;

  size_t count_;
  Rng sets_;
  Shape shape_;
  std::vector<float> centres_;
};

}  // namespace muster
