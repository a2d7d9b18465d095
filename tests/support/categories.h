#pragma once

#include "muster/core/vector_set.h"
#include "support/random_data.h"

namespace muster::oracle {

// Three categories far apart, some vectors without a label, a category without vectors.
inline Sample three_categories(size_t per_category) {
  Sample sample{normal_matrix(4 * per_category, 2, Rng(1)), {}, 4};
  for (size_t i = 0; i < sample.vectors.rows(); ++i) {
    sample.labels.push_back(i % 4 == 3 ? -1 : static_cast<int>(i % 4));
    sample.vectors(i, 0) += static_cast<float>(100 * (i % 4));
  }
  return sample;
}

}  // namespace muster::oracle
