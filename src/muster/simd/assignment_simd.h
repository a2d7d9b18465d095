// The inner loops of the assignment problem: one row of costs against the potentials of all
// columns. By SIMD with run-time dispatch, on the calling thread. Ties go to the column that comes
// first, so results do not depend on the lane width.
#pragma once

#include <span>

#include "muster/core/matrix.h"

namespace muster {

// The smallest value, the column that has it, and the smallest of the other columns.
struct TwoSmallest {
  size_t column;
  double value, next;
};

// Of costs[j] - potentials[j], which are finite; at least two columns.
TwoSmallest two_smallest(std::span<const double> costs, std::span<const double> potentials);

// Shortest distances from one row to every column, and the row that comes before it on the way.
struct Distances {
  AlignedVector<double> values;
  AlignedVector<double> from;  // numbers of rows; doubles, so that both have as many lanes
};

// The column that is nearest and its distance, and the distance of the nearest column that has no
// row.
struct NearestColumn {
  size_t column;
  double distance, of_free;
};

// Where costs[j] - potentials[j] - offset is less than the distance of j, it becomes the distance,
// and `row` the row before. A potential of -infinity leaves a column as it is. taken[j] is infinity
// for columns that have a row, else 0.
NearestColumn shorten(std::span<const double> costs, std::span<const double> potentials,
                      double offset, size_t row, std::span<const double> taken,
                      Distances& distances);

}  // namespace muster
