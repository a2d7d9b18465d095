// What the linear classifiers share: vectors centred and brought to a mean squared norm of 1, so
// that C means the same for all inputs, and training through LIBLINEAR.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>

#include "muster/classify/decisions.h"
#include "muster/crossval/cross_validation.h"
#include "muster/solve/liblinear_rows.h"
#include "muster/solve/primal_newton.h"

namespace muster {

// Through the Gram matrix of the items, or in the primal through LIBLINEAR.
enum class LinearSolver { kAuto, kGram, kPrimal };
// What kAuto takes: the one that costs less.
bool use_gram(LinearSolver solver, size_t num_items, size_t dim);

// Whether a linear classifier is trained on vectors that stay on the ranks that made them.
bool trains_sharded(LinearSolver solver, size_t num_items, size_t dim);

// Values that are not finite are a data error that names `stage` and the item.
[[noreturn]] void refuse_not_finite(const char* stage, size_t item);
void require_finite_rows(const char* stage, ConstMatrixView vectors);

// Views the vectors if they are not centred; they must outlive it then. Values that are not
// finite are a data error that names `stage`.
class PreparedVectors {
 public:
  PreparedVectors(const char* stage, ConstMatrixView vectors, bool centre);

  ConstMatrixView view() const { return mean_.empty() ? vectors_ : centred_.view(); }
  // Subtracted already; empty if nothing was.
  const std::vector<double>& mean() const { return mean_; }
  // The root of 1 / mean squared norm, to be multiplied with.
  double scale() const { return scale_; }

 private:
  ConstMatrixView vectors_;
  Matrix<float> centred_;
  std::vector<double> mean_;
  double scale_ = 1;
};

// scale^2 X X^T + bias^2, exactly symmetric.
Matrix<float> scaled_gram(ConstMatrixView vectors, double scale, double bias,
                          const Progress& progress);

struct LinearFit {
  LinearDecisions decisions;
  int64_t iterations = 0;
};

// w.(x - mean) + b = w.x + (b - w.mean)
void fold_mean(const std::vector<double>& mean, LinearDecisions& decisions);

struct PrimalOptions {
  PrimalLoss loss = PrimalLoss::kSquaredHinge;
  ClassWeights class_weights = ClassWeights::kNone;
  double bias = 1;
  double tolerance = 0.01;
};

// Cross-validation only ranks values of C, for which rougher solutions by LIBLINEAR suffice. Newton
// steps of ours have to go on: from the solution for the value of C before, the tolerance is
// reached where held-out scores are still those of that value.
inline double cv_tolerance(double tolerance) { return std::min(0.5, 3 * tolerance); }
inline double newton_cv_tolerance(double tolerance) { return 0.3 * tolerance; }

// Logistic loss and what single precision cannot solve go through LIBLINEAR, whose rows take
// 16 n d bytes and are made when first needed. Thread-safe.
class PrimalTrainer {
 public:
  PrimalTrainer(const PrimalOptions& options, const PreparedVectors& vectors);

  // Cross-validation's PathSolver.
  int64_t path(const CvTask& task, MatrixView<double> decisions) const;
  LinearFit fit(const std::vector<BinaryProblem>& problems, double C, const Rng& rng,
                const Progress& progress) const;

 private:
  const LiblinearRows& rows() const;
  double decision(size_t item, std::span<const double> weights) const;

  PrimalOptions options_;
  ConstMatrixView vectors_;
  double scale_;
  std::optional<CollectedItems> items_;  // of squared hinges
  mutable std::once_flag made_;
  mutable std::unique_ptr<const LiblinearRows> rows_;
};

}  // namespace muster
