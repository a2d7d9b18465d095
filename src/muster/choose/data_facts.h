// What `auto` knows of the data before it proposes recipes: a look at some of the items.
#pragma once

#include "muster/core/labels.h"
#include "muster/source/set_source.h"

namespace muster {

struct DataLook {
  ItemKind kind = ItemKind::kImages;
  size_t items = 0;
  int classes = 0;
  bool multi_label = false;
  // Pictures: median of the longest side, after they were shrunk to the usual size; and whether
  // some of them have colour.
  int side_px = 0;
  bool colour = false;
  bool network = false;  // one is named for the feature dnn, and can be run
  // Vector sets: the median size of a set, its dimension, and whether vectors have places.
  size_t vectors = 0;
  size_t dim = 0;
  bool places = false;
  double seconds_per_item = 0;  // to read one, on one thread; for forecasts only
};

// Reads at most a few of the items, evenly over their order; those that cannot be read are passed
// over. All facts but the time are the same on every run. A network counts as named if
// MUSTER_DNN_MODEL or one of the overrides (dnn.model=FILE) names it.
DataLook look_at(const SetSource& source, std::span<const size_t> items, const Labels& labels,
                 std::span<const std::string> overrides = {});

}  // namespace muster
