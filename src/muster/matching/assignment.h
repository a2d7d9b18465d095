// The assignment problem, exactly: every row gets a column of its own so that the sum of costs is
// as small as possible. By shortest augmenting paths with potentials of the columns (Jonker &
// Volgenant, Computing 38, 1987): rows first take columns from one another in two rounds
// (augmenting row reduction), then each row that is left goes along a shortest path. In double
// precision, so the sum is the least but for rounding, and exactly the least if the costs are whole
// numbers whose sums double precision holds. Thread-safe. O(rows^2 cols) at worst; memory 40 bytes
// per column.
#pragma once

#include <vector>

#include "muster/core/matrix.h"

namespace muster {

// The largest number of entries (rows times columns) of a problem; more is a data error.
inline constexpr size_t kMaxAssignmentEntries = 25'000'000;

// The column of each row. Requires rows <= cols and finite costs.
std::vector<size_t> optimal_assignment(MatrixView<const double> costs);

}  // namespace muster
