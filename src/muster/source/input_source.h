// What a program names or holds in memory (input.h) as a SetSource. Nothing is copied but the one
// set that load() returns.
#pragma once

#include "muster/source/input.h"
#include "muster/source/set_source.h"

namespace muster {

class InputSource : public SetSource {
 public:
  // What `inputs` views must outlive the source. `first` is the number of the first one in
  // messages, less one.
  explicit InputSource(Inputs inputs, size_t first = 0) : inputs_(inputs), first_(first) {}

  size_t size() const override { return inputs_.size(); }
  // The path, the name that was given, or "item 3", counted from 1.
  std::string name(size_t item) const override;
  // A path that is neither a picture nor a vector set by its name is a data error.
  ItemKind kind(size_t item) const override;
  // Bad views are data errors: null pointers, a picture without pixels, values that are not finite,
  // places outside [0, 1].
  VectorSet load(const Extraction* extraction, size_t item) const override;
  // The picture itself, shrunk to that longest side if it is larger. A vector set is a usage error.
  Image picture(size_t item, int longest_side_px) const;
  std::string stamp(size_t item) const override;
  bool in_memory(size_t item) const override;

 private:
  Inputs inputs_;
  size_t first_;
};

}  // namespace muster
