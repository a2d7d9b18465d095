// How much each branch counts, learned from the labels by weights=held-out (kernel_weights.h).
#pragma once

#include <span>
#include <vector>

#include "muster/core/labels.h"
#include "muster/core/matrix.h"
#include "muster/core/progress.h"

namespace muster {

// 0 of a matrix without rows.
double mean_diagonal(const Matrix<double>& gram);

// Of the items from which weights=held-out learns, whose cost rises with the third power of their
// number: all of them, or 2,000 from all over.
std::vector<size_t> held_out_sample(const std::vector<size_t>& items);

// A factor for the vectors of each branch (one matrix each, a row per item): the square root of the
// weight of their dot products. Vectors times factors have a mean squared norm of 1 together.
// Memory: 8 n^2 bytes per branch, n at most 2,000.
std::vector<double> held_out_scales(std::span<const Matrix<float>> parts, const Labels& labels,
                                    const Progress& progress);

}  // namespace muster
