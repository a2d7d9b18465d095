// A picture becomes a set of local features with their places.
#pragma once

#include <memory>

#include "muster/core/options.h"
#include "muster/core/vector_set.h"
#include "muster/image/image.h"

namespace muster {

// Immutable and shareable between threads. A picture too small for a single feature, or without an
// interest point, gives a set of size 0 and dimension dim().
class Extractor {
 public:
  virtual ~Extractor() = default;
  virtual size_t dim() const = 0;
  virtual VectorSet extract(const Image& image) const = 0;
};

// An extractor of class Made with valid options; `stage` names it in messages.
template <class Made, class Options>
std::unique_ptr<Extractor> make_extractor(const char* stage, const Options& options) {
  OptionsOf<Options>(options).validate(stage);
  return std::make_unique<Made>(options);
}

}  // namespace muster
