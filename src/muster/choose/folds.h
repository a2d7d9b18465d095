// How the items are divided for cross-validation, and which of many take part.
#pragma once

#include <vector>

#include "muster/core/labels.h"
#include "muster/core/rng.h"

namespace muster {

struct FoldItems {
  std::vector<size_t> train, held_out;  // positions, rising
};

// Stratified; groups of the labels stay together. Folds without held-out items, or with fewer than
// two classes to learn from, are left out.
std::vector<FoldItems> divide(const Labels& labels, int folds, const Rng& rng);

// At most about `most` positions, the same share of every class but at least two of each; rising.
std::vector<size_t> some_of_each(const Labels& labels, size_t most, const Rng& rng);

}  // namespace muster
