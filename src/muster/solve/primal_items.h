// The items of a linear problem as primal_newton.h sees them: their products with weights, and sums
// over them. They are all here, or on the ranks that made them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "muster/cluster/sharded_vectors.h"
#include "muster/core/matrix.h"

namespace muster {

// sum_i x_i x_i', which preconditions problems on any of the items. Thread-safe.
class PrimalMoments {
 public:
  explicit PrimalMoments(Matrix<float> moments) : moments_(std::move(moments)) {}

  // The Cholesky factor of I + c sum_i x_i x_i', c being rounded to a power of 2, so that problems
  // with about the same costs share it; null if the moments would not fit or it is not positive
  // definite in single precision.
  std::shared_ptr<const Matrix<float>> factor(double c) const;

 private:
  Matrix<float> moments_;  // empty if they would not fit
  mutable std::mutex mutex_;
  mutable std::map<int, std::shared_ptr<const Matrix<float>>> factors_;  // by exponent
};

// x_i = (scale * row i of vectors, bias). Views the vectors. Products are in single precision, sums
// of them in double. Deterministic for any number of threads.
class PrimalItems {
 public:
  PrimalItems(ConstMatrixView vectors, double scale, double bias)
      : vectors_(vectors), scale_(scale), bias_(bias) {}
  virtual ~PrimalItems() = default;

  double scale() const { return scale_; }
  double bias() const { return bias_; }
  size_t num_weights() const { return vectors_.cols + 1; }
  size_t num_here() const { return vectors_.rows; }

  // out(k, i) = x_i . rows(k) for the items here.
  virtual Matrix<float> times(const Matrix<double>& rows) const = 0;
  // out(k) += sum_i shares(k, i) x_i, over all items.
  virtual void add(const Matrix<float>& shares, Matrix<double>& out) const = 0;
  virtual const PrimalMoments& moments() const = 0;
  // For each k the sum over all items of what `part` gives for items [begin, end) here.
  using Part = std::function<double(size_t k, size_t begin, size_t end)>;
  virtual std::vector<double> totals(size_t count, const Part& part) const = 0;

 protected:
  // Products of items [begin, end) with factors() of the rows: columns of `out`.
  Matrix<float> factors(const Matrix<double>& rows) const;
  void times(const Matrix<float>& factors, const Matrix<double>& rows, size_t begin, size_t end,
             Matrix<float>& out) const;

  ConstMatrixView vectors_;
  double scale_, bias_;
};

class CollectedItems final : public PrimalItems {
 public:
  CollectedItems(ConstMatrixView vectors, double scale, double bias)
      : PrimalItems(vectors, scale, bias), moments_(moments_of_all()) {}
  Matrix<float> times(const Matrix<double>& rows) const override;
  void add(const Matrix<float>& shares, Matrix<double>& out) const override;
  const PrimalMoments& moments() const override { return moments_; }
  std::vector<double> totals(size_t count, const Part& part) const override;

 private:
  Matrix<float> moments_of_all() const;

  PrimalMoments moments_;
};

// The same bytes for any number of ranks. All ranks make the same calls, outside of divided loops.
class ShardedItems final : public PrimalItems {
 public:
  // `largest` is no less than any absolute value of the vectors, on all ranks.
  ShardedItems(const ShardedVectors& vectors, double largest, double scale, double bias);

  Matrix<float> times(const Matrix<double>& rows) const override;
  void add(const Matrix<float>& shares, Matrix<double>& out) const override;
  // Of a sample of the items.
  const PrimalMoments& moments() const override { return moments_; }
  std::vector<double> totals(size_t count, const Part& part) const override;

 private:
  Matrix<float> sampled_moments() const;

  const ShardedVectors& sharded_;
  double largest_;
  PrimalMoments moments_;
};

}  // namespace muster
