// What encode and gram share: SETS as a dataset without labels, the recipe up to vectors or
// kernels, the output by its extension.
#pragma once

#include "common.h"
#include "muster/pipeline/pipeline.h"

namespace muster::cli {

// --recipe and --set.
struct SetRecipe {
  MethodChoice choice;

  void add_to(CLI::App& app);
  // The one branch of the recipe, without a feature stage. A classifier is a usage error that names
  // `command`.
  BranchPlan plan(const std::string& command, const Common& common) const;
};

// The sets of a folder, in sorted order. Rows of the output stand for files, so one that cannot be
// read is a data error.
class Sets {
 public:
  Sets(const std::string& path, const Progress& progress);

  size_t size() const { return dataset_.items.size(); }
  const ItemSource& source() const { return *source_; }
  std::span<const size_t> items() const { return items_; }
  const Labels& labels() const { return dataset_.labels; }
  const Dataset& dataset() const { return dataset_; }

 private:
  Dataset dataset_;
  std::vector<size_t> items_;
  std::unique_ptr<ItemSource> source_;
};

enum class ArrayFormat { kNpy, kLibsvm };
// By extension (.npy; .libsvm or .txt); another one is a usage error.
ArrayFormat array_format(const std::string& path);

}  // namespace muster::cli
