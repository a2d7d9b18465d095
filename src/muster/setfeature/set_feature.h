// A set becomes one vector. Every such representation is a sum of statistics over the vectors of
// the set, followed by something done once per set:
//
//   sum = sum_x stat(x)        SetStatistic::accumulate: the hot path, many vectors per call
//   out = finish(sum, |X|)     SetStatistic::finish: bow divides by |X|, for example
//
// Sums add up over cells, so a spatial pyramid computes the statistics once, on its finest cells
// (docs/decisions/0002-sums-and-finish.md).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "muster/core/options.h"
#include "muster/core/progress.h"
#include "muster/core/rng.h"
#include "muster/core/tensors.h"
#include "muster/core/vector_set.h"
#include "muster/setfeature/standardise.h"

namespace muster {

struct Universal;

// What a method of this stage implements. Immutable and shareable between threads.
class SetStatistic {
 public:
  virtual ~SetStatistic() = default;
  virtual size_t input_dim() const = 0;
  // Length of the sum, and of the finished vector.
  virtual size_t sum_dim() const = 0;
  virtual size_t dim() const { return sum_dim(); }
  // Adds the statistics of the vectors (m x input_dim()) to `sum`. On the calling thread.
  virtual void accumulate(ConstMatrixView vectors, std::span<float> sum) const = 0;
  // Writes all of `out` (dim() values); count > 0. The mean, unless a method says otherwise.
  virtual void finish(std::span<const float> sum, size_t count, std::span<float> out) const;
  // The same for several cells, one per row. If a count is 0, its row of `out` is 0 already and
  // stays so. For methods that can finish many cells at the cost of one.
  virtual void finish_cells(ConstMatrixView sums, std::span<const size_t> counts,
                            MatrixView<float> out) const;
  // Whether finish() is linear in the sum, the count being given.
  virtual bool additive() const { return true; }
  // Writes all of `out` (sum_dim() values): the derivative of gradient . finish(sum, count) by the
  // sum. That of the mean, unless a method says otherwise.
  virtual void pull_back(std::span<const float> sum, size_t count, std::span<const double> gradient,
                         std::span<double> out) const;
  // out[i] = direction . stat(x_i), `direction` as long as the sum. On the calling thread. Vector
  // by vector through accumulate(), unless a method has a shorter way.
  virtual void project(ConstMatrixView vectors, std::span<const double> direction,
                       std::span<double> out) const;
  // The universal mixture that it rests on; null if it rests on none.
  virtual const Universal* universal() const { return nullptr; }
  virtual void save(const TensorWriter& out) const = 0;
};

// The cell of a side x side grid over the picture that a place lies in, row by row; places beyond
// an edge count as on it.
size_t cell_of(float x, float y, size_t side);

// The option levels of everything with a spatial pyramid.
void levels_field(Fields& f, int& levels, const char* paper);

enum class CellWeight { kAverage, kShare };

// How the statistics become one vector; every set feature has these options.
struct PoolingOptions {
  int levels = 0;
  CellWeight cells = CellWeight::kShare;
  double power = 1;
  bool l2 = false;

  void fields(Fields& f);
};

// The options of all parts, one part after the other.
template <class... Parts>
void fields_of(Fields& f, Parts&... parts) {
  (parts.fields(f), ...);
}

// The spatial pyramid of any statistic (EMK 2). Level l has 2^l x 2^l cells; the vector
// of a level-l cell is scaled by 2^(-l/2), and with cells=share by the square root of the cell's
// share of the set's vectors as well (so that crowded cells count for more). An empty cell is the
// zero vector, and so is an empty set. Immutable, shareable between threads.
class SetFeature {
 public:
  SetFeature(std::unique_ptr<const SetStatistic> statistic, const PoolingOptions& pooling);

  size_t input_dim() const { return statistic_->input_dim(); }
  size_t dim() const { return num_cells_ * statistic_->dim(); }
  // Writes all of `out` (dim() values). A pyramid (levels > 0) of a set without places is a data
  // error.
  void encode(const VectorSet& set, std::span<float> out) const;
  // Whether the vector is a sum over the set's vectors, the number of vectors in each cell being
  // given, and a constant.
  bool additive() const { return statistic_->additive() && pooling_.power == 1 && !pooling_.l2; }
  // What each vector of the set has to do with gradient . encode(set): the derivative of that in
  // the direction of the vector's statistic, the number of vectors in each cell being given. Of an
  // additive feature these are the parts that the vectors bring, and what remains is a constant.
  // Slopes of powers are rounded off at 0.
  // Throws as encode() does. Cost: that of encode() a few times.
  std::vector<double> shares(const VectorSet& set, std::span<const double> gradient) const;
  // This feature with its finished vectors standardised. An empty set stays the zero vector, which
  // then is the mean of the training vectors.
  SetFeature standardised(Standardiser standardiser) const;
  // The universal mixture that it rests on; null if it rests on none.
  const Universal* universal() const { return statistic_->universal(); }
  void save(const TensorWriter& out) const;

 private:
  void require_places(const VectorSet& set) const;
  // The derivative by the vector before powers, norms and standardising, which is `pooled`.
  std::vector<double> before_scaling(std::span<const float> pooled,
                                     std::span<const double> gradient) const;

  std::shared_ptr<const SetStatistic> statistic_;
  PoolingOptions pooling_;
  size_t num_cells_;
  std::optional<Standardiser> standardiser_;
};

}  // namespace muster
