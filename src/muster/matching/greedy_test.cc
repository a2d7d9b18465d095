#include "muster/matching/greedy.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "oracle/set_kernels.h"
#include "support/set_kernels.h"

namespace muster {
namespace {

using Kernel = std::shared_ptr<const SetKernel>;

// Points on a 4 x 4 grid: ties everywhere.
RC_GTEST_PROP(Greedy, DoesNotDependOnTheOrderOfASetOrOfThePair, ()) {
  const auto a = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 16)),
             b = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 16));
  auto shuffled = a;
  Rng(a.size()).shuffle(std::span(shuffled));
  const Kernel kernel =
      fit_greedy({oracle::local_options(LocalKernelKind::kCauchy)}, {}, Rng(1), {});
  const VectorSet x = oracle::grid_set(a), y = oracle::grid_set(b), z = oracle::grid_set(shuffled);
  RC_ASSERT(oracle::value_of(*kernel, x, y) == oracle::value_of(*kernel, z, y));
  RC_ASSERT(oracle::value_of(*kernel, x, y) == oracle::value_of(*kernel, y, x));
}

RC_GTEST_PROP(Greedy, AssignmentTakesTheBestRemainingPair, ()) {
  const size_t rows = *rc::gen::inRange<size_t>(1, 7), cols = *rc::gen::inRange<size_t>(1, 7);
  Matrix<float> values(rows, cols);
  for (float& v : values.values()) v = static_cast<float>(*rc::gen::inRange(-2, 3));
  std::vector<RowCol> expected;
  std::set<size_t> used_rows, used_cols;
  while (expected.size() < std::min(rows, cols)) {
    std::optional<RowCol> best;
    for (size_t i = 0; i < rows; ++i)
      for (size_t j = 0; j < cols; ++j)
        if (!used_rows.contains(i) && !used_cols.contains(j) &&
            (!best || values(i, j) > values(best->row, best->col)))
          best = RowCol{i, j};
    expected.push_back(*best);
    used_rows.insert(best->row);
    used_cols.insert(best->col);
  }
  std::vector<RowCol> found = greedy_assignment(values);
  std::ranges::sort(found, {}, &RowCol::row);
  std::ranges::sort(expected, {}, &RowCol::row);
  RC_ASSERT(found == expected);
}

}  // namespace
}  // namespace muster
