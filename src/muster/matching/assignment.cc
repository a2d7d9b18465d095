#include "muster/matching/assignment.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "muster/simd/assignment_simd.h"

namespace muster {
namespace {

constexpr size_t kNone = std::numeric_limits<size_t>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kRounds = 2;
// Rows that take columns from one another by small steps would do so for long; after that many
// turns per row, paths are faster.
constexpr size_t kTurnsPerRow = 8;

// Throughout, potentials are 0 for columns without a row and at most 0 for others, and
// cost - potential is smallest in its row for every row's column: then the columns given out are
// the best for the rows that have one.
class Assignment {
 public:
  explicit Assignment(MatrixView<const double> costs)
      : costs_(costs),
        column_of_(costs.rows, kNone),
        row_of_(costs.cols, kNone),
        potentials_(costs.cols),
        open_(costs.cols),
        taken_(costs.cols),
        distances_{AlignedVector<double>(costs.cols), AlignedVector<double>(costs.cols)} {}

  std::vector<size_t> solve() {
    std::vector<size_t> rows(costs_.rows);
    std::iota(rows.rbegin(), rows.rend(), size_t{0});
    for (int round = 0; round < kRounds; ++round) rows = reduce(std::move(rows));
    for (const size_t row : rows) augment(row);
    return std::move(column_of_);
  }

 private:
  void give(size_t row, size_t column) {
    column_of_[row] = column;
    row_of_[column] = row;
    taken_[column] = kInfinity;
  }

  // Each row takes its cheapest column, whose potential falls until it is as dear as the second
  // cheapest; the row that had it is next. Returns the rows that lost theirs to an equal offer.
  std::vector<size_t> reduce(std::vector<size_t> rows) {
    std::vector<size_t> left;
    for (size_t turns = kTurnsPerRow * rows.size(); !rows.empty() && turns > 0; --turns) {
      const size_t row = rows.back();
      rows.pop_back();
      const std::span<const double> costs = costs_.row(row);
      const TwoSmallest found = two_smallest(costs, potentials_);
      const bool dearer = found.next > found.value;
      size_t column = found.column;
      if (dearer) potentials_[column] -= found.next - found.value;
      if (!dearer && row_of_[column] != kNone) do
          ++column;
        while (costs[column] - potentials_[column] != found.value);
      if (const size_t before = row_of_[column]; before != kNone) {
        column_of_[before] = kNone;
        (dearer ? rows : left).push_back(before);
      }
      give(row, column);
    }
    left.insert(left.end(), rows.begin(), rows.end());
    return left;
  }

  // Goes from the row to the nearest column without a row, over rows that then change columns
  // (Dijkstra's algorithm, since cost less both potentials is not negative).
  void augment(size_t start) {
    std::ranges::copy(potentials_, open_.begin());
    std::ranges::fill(distances_.values, kInfinity);
    reached_.clear();
    size_t row = start;
    double offset = 0;
    NearestColumn next = shorten(costs_.row(row), open_, offset, row, taken_, distances_);
    while (next.of_free > next.distance) {
      const size_t column = next.column;
      reached_.push_back({column, next.distance});
      distances_.values[column] = kInfinity;
      open_[column] = -kInfinity;
      row = row_of_[column];
      offset = costs_(row, column) - potentials_[column] - next.distance;
      next = shorten(costs_.row(row), open_, offset, row, taken_, distances_);
    }
    for (const auto& [column, distance] : reached_) potentials_[column] += distance - next.distance;
    size_t column = next.column;
    while (row_of_[column] != kNone || distances_.values[column] != next.distance) ++column;
    for (row = kNone; row != start;) {
      row = static_cast<size_t>(distances_.from[column]);
      const size_t before = column_of_[row];
      give(row, column);
      column = before;
    }
  }

  MatrixView<const double> costs_;
  std::vector<size_t> column_of_, row_of_;
  AlignedVector<double> potentials_;
  AlignedVector<double> open_;   // potentials, or -infinity for columns that were reached
  AlignedVector<double> taken_;  // infinity for columns that have a row
  Distances distances_;          // infinity for columns that were reached
  std::vector<std::pair<size_t, double>> reached_;
};

}  // namespace

std::vector<size_t> optimal_assignment(MatrixView<const double> costs) {
  const size_t rows = costs.rows, cols = costs.cols;
  MUSTER_CHECK(rows <= cols);
  if (rows == 0) return {};
  if (cols > kMaxAssignmentEntries / rows)
    throw data_error(
        "matching: sets of {} and {} vectors have more than {} pairs, too many for an exact "
        "matching; use fewer features per set, or greedy or pmk",
        rows, cols, kMaxAssignmentEntries);
  for (size_t i = 0; i < rows; ++i)
    for (const double cost : costs.row(i)) MUSTER_CHECK(std::isfinite(cost));
  if (cols == 1) return {0};
  return Assignment(costs).solve();
}

}  // namespace muster
