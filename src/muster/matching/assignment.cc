#include "muster/matching/assignment.h"

#include <lemon/network_simplex.h>
#include <lemon/static_graph.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace muster {
namespace {

constexpr double kIntegerRange = 1099511627776.0;  // 2^40: sums over a million rows stay below 2^62

struct Range {
  double low, high;
};

Range range_of(MatrixView<const double> costs) {
  Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (size_t i = 0; i < costs.rows; ++i)
    for (const double cost : costs.row(i)) {
      MUSTER_CHECK(std::isfinite(cost));
      range = {std::min(range.low, cost), std::max(range.high, cost)};
    }
  return range;
}

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
  const Range range = range_of(costs);
  const double scale = range.high > range.low ? kIntegerRange / (range.high - range.low) : 0;

  using Graph = lemon::StaticDigraph;
  std::vector<std::pair<int, int>> arcs;
  arcs.reserve(rows * cols);
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < cols; ++j)
      arcs.emplace_back(static_cast<int>(i), static_cast<int>(rows + j));
  Graph graph;
  graph.build(static_cast<int>(rows + cols), arcs.begin(), arcs.end());

  // Rows send at least one unit, columns take at most one. Costs above zero make it exactly one.
  Graph::ArcMap<int64_t> cost(graph);
  for (size_t i = 0, arc = 0; i < rows; ++i)
    for (size_t j = 0; j < cols; ++j, ++arc)
      cost[graph.arc(static_cast<int>(arc))] = 1 + std::llround((costs(i, j) - range.low) * scale);
  Graph::NodeMap<int> supply(graph);
  for (size_t v = 0; v < rows + cols; ++v)
    supply[graph.node(static_cast<int>(v))] = v < rows ? 1 : -1;
  using Simplex = lemon::NetworkSimplex<Graph, int, int64_t>;
  Simplex simplex(graph);
  MUSTER_CHECK(simplex.costMap(cost).supplyMap(supply).run() == Simplex::OPTIMAL);

  std::vector<size_t> out(rows, cols);
  for (size_t i = 0, arc = 0; i < rows; ++i)
    for (size_t j = 0; j < cols; ++j, ++arc)
      if (simplex.flow(graph.arc(static_cast<int>(arc))) > 0) {
        MUSTER_CHECK(out[i] == cols);
        out[i] = j;
      }
  return out;
}

}  // namespace muster
