// Which items are most like a given one, by what a model makes of them before it classifies. Two
// items are as similar as the cosine of their vectors or, if the model has kernels, as the
// normalised kernel k(x, y) / sqrt(k(x, x) k(y, y)): 1 for items that are alike, 0 if one of them
// has no length (an empty set, say). The similarity by a fused model is the weighted mean of its
// members'.
//
// Items are compared block by block, so that memory is that of the queries and of one block of
// items, not of all items. The nearest by vectors of a single model are exact (neighbours.h).
#pragma once

#include "muster/core/labels.h"
#include "muster/math/neighbours.h"
#include "muster/pipeline/ensemble.h"

namespace muster {

// Per query the `count` most similar of `items`, the most similar first, of equally similar ones
// the first; rows are positions in `items`, scores are similarities. All items must be readable and
// of the model's kind. The same for any number of threads.
std::vector<Neighbours> most_similar(const Ensemble& ensemble, const SetSource& queries,
                                     std::span<const size_t> query_items, const SetSource& source,
                                     std::span<const size_t> items, size_t count,
                                     const Progress& progress);

struct RetrievalMeasures {
  size_t queries = 0;  // items that share a label with another one
  // Over these: of the ranking of all other items by similarity, those being relevant that share a
  // label with the query and those left out that share one only as difficult. NaN without queries.
  double mean_average_precision = 0;
  double precision_at_count = 0;  // the share of relevant ones among the first `count`
};

// Every item is a query to all the others. `labels` are the items'. Memory: all items in the
// model's representation.
RetrievalMeasures measure_retrieval(const Ensemble& ensemble, const SetSource& source,
                                    std::span<const size_t> items, const Labels& labels,
                                    size_t count, const Progress& progress);

}  // namespace muster
