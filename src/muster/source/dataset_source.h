// The items of a data set on disk, read whenever they are asked for.
#pragma once

#include "muster/source/set_source.h"

namespace muster {

class DatasetSource : public SetSource {
 public:
  // `dataset` must outlive the source.
  explicit DatasetSource(const Dataset& dataset) : dataset_(dataset) {}

  size_t size() const override { return dataset_.items.size(); }
  std::string name(size_t item) const override { return dataset_.items[item].name; }
  ItemKind kind(size_t) const override { return dataset_.kind; }
  VectorSet load(const Extraction* extraction, size_t item) const override {
    return load_file(dataset_.items[item].path, dataset_.kind, extraction);
  }
  std::string root() const override { return dataset_.root.string(); }
  std::string stamp(size_t item) const override {
    return file_stamp(dataset_.items[item].path, dataset_.items[item].name);
  }

 private:
  const Dataset& dataset_;
};

}  // namespace muster
