// New classes for a trained pipeline (UGM 4.2.3): reductions, vocabularies, mixtures and the
// representations of the old items stay as they are; only the classifier is trained again, on old
// and new items together, with the C and the kernel that the pipeline has. Cost: features and
// representations of the new items, the Gram of all, and a fit without a search.
#pragma once

#include "muster/pipeline/pipeline.h"

namespace muster {

// The old classes keep their numbers, new ones follow in the data's order. Data may also hold more
// items of old classes, but not of these alone (a data error). In multi-label pipelines the old
// items count as ones without the new labels. A pipeline that kept no training items is a usage
// error. Class mixtures are not carried over: they would need the old items' vectors.
Pipeline add_classes(const Pipeline& pipeline, const SetSource& source,
                     std::span<const size_t> items, const Labels& labels_of_items,
                     const Progress& progress, StageSeconds* seconds = nullptr);

}  // namespace muster
