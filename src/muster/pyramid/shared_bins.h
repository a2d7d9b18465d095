// Weighted histogram intersections of all pairs of sets, as one sparse problem:
//
//   out(i, j) += sum_bins weight(bin) min(count_i(bin), count_j(bin))
//
// Bins are given one after the other with the sets that touch them; each is visited once for all
// pairs, and never if only one set touches it. Bins that many sets touch become columns of a dense
// matrix, which SIMD sums up (simd/weighted_minima.h). Cost per pair: the bins that both touch.
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

struct BinList {
  std::vector<BinCount> counts;
  std::vector<size_t> starts{0};
  std::vector<double> weights;

  size_t size() const { return weights.size(); }
  std::span<const BinCount> bin(size_t i) const {
    return std::span(counts).subspan(starts[i], starts[i + 1] - starts[i]);
  }
  void add(double weight, std::span<const BinCount> bin);
};

// Rows are the sets [0, num_rows), columns those from num_rows on. With `symmetric` rows and
// columns are the same num_rows sets, and only pairs above the diagonal are wanted.
struct SetPairs {
  size_t num_rows, num_cols;
  bool symmetric;

  size_t num_sets() const { return symmetric ? num_rows : num_rows + num_cols; }
};

// What one thread collects for IntersectionSums::take.
class SharedBins {
 public:
  explicit SharedBins(const SetPairs& pairs);
  const SetPairs& pairs() const { return pairs_; }
  // `counts` by increasing set.
  void add(double weight, std::span<const BinCount> counts);

 private:
  friend class IntersectionSums;

  SetPairs pairs_;
  size_t dense_from_;  // sets in a bin
  BinList sparse_, dense_;
};

// Adds to `out`, num_rows x num_cols. The order of every sum depends on the order of the bins
// alone, so the result is the same to the last bit for any number of threads.
class IntersectionSums {
 public:
  IntersectionSums(const SetPairs& pairs, MatrixView<double> out);

  const SetPairs& pairs() const { return pairs_; }
  void take(SharedBins bins);
  // Adds what is still kept back; called once, after the last bins.
  void finish();

 private:
  void flush_sparse();
  void flush_dense();

  SetPairs pairs_;
  MatrixView<double> out_;
  std::vector<BinList> sparse_;
  size_t num_sparse_counts_ = 0;
  BinList dense_;
};

}  // namespace muster
