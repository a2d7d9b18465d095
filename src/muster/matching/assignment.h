// The assignment problem, exactly: every row gets a column of its own so that the sum of costs is
// as small as possible. A transportation problem with unit supplies, solved by LEMON's network
// simplex on costs rounded to integers of 40 bits, because it is exact only for integers. The sum
// is off the true optimum by at most rows * 2^-39 of the largest cost difference. Thread-safe.
// About O((rows cols)^1.5) in practice; memory about 60 bytes per entry.
#pragma once

#include <vector>

#include "muster/core/matrix.h"

namespace muster {

// The largest number of entries (rows times columns) of a problem; more is a data error.
inline constexpr size_t kMaxAssignmentEntries = 25'000'000;

// The column of each row. Requires rows <= cols and finite costs.
std::vector<size_t> optimal_assignment(MatrixView<const double> costs);

}  // namespace muster
