// Weighted histogram intersections of all pairs of sets, as one sparse problem:
//
//   out(i, j) += sum_bins weight(bin) min(count_i(bin), count_j(bin))
//
// Bins are given one after the other with the sets that touch them; each is met once for all pairs,
// a bin that one set alone touches never. Bins that many sets touch become columns of a dense
// matrix, which SIMD sums up (math/weighted_minima.h). Cost: per pair the bins that both touch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "muster/core/matrix.h"
#include "muster/core/progress.h"

namespace muster {

struct BinCount {
  uint32_t set;
  uint32_t count;
};

// Adds to `out`, num_rows x num_cols: rows are the sets [0, num_rows), columns those from num_rows
// on. With `symmetric` rows and columns are the same num_rows sets, and only what is above the
// diagonal is added. The order of the bins alone decides the order of every sum, so threads do not
// change a bit.
class IntersectionSums {
 public:
  IntersectionSums(size_t num_rows, size_t num_cols, bool symmetric, MatrixView<double> out);
  ~IntersectionSums();
  IntersectionSums(const IntersectionSums&) = delete;
  IntersectionSums& operator=(const IntersectionSums&) = delete;

  // `counts` by increasing set.
  void add(double weight, std::span<const BinCount> counts);
  // Adds what is still kept back; called once, after the last bin.
  void finish();

 private:
  void flush_sparse();
  void flush_dense();

  size_t num_rows_, num_cols_;
  bool symmetric_;
  MatrixView<double> out_;
  size_t dense_from_;  // sets in a bin
  std::vector<BinCount> counts_;
  std::vector<size_t> starts_{0};
  std::vector<double> weights_;
  std::vector<double> dense_weights_;
  std::vector<BinCount> dense_counts_;
  std::vector<size_t> dense_starts_{0};
};

}  // namespace muster
