// Passes over items whose vectors are too many to be collected: they stay on the ranks that made
// them, or are gone once they are scored. The same bytes for any number of ranks.
#pragma once

#include "muster/classify/classifier.h"
#include "muster/cluster/sharded_vectors.h"
#include "muster/pipeline/branch.h"

namespace muster {

// The length of the vectors that a classifier takes.
size_t joined_dim(std::span<const FittedBranch> branches);

// One vector per item, of all branches; settles the scale of each if there are several.
ShardedVectors encode_sharded(std::span<FittedBranch> branches, const SetSource& source,
                              std::span<const size_t> items, const Progress& progress);

// A row of scores per item, on all ranks. In memory at once are the vectors of a tile per thread.
Matrix<double> score_in_tiles(std::span<const FittedBranch> branches, const Classifier& classifier,
                              const SetSource& source, std::span<const size_t> items,
                              const Progress& progress, const AlsoPerItem& also);

}  // namespace muster
