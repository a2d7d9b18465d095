// Vectors or rows of a Gram matrix become scores, one per class. Never sees sets or images.
#pragma once

#include <memory>
#include <optional>

#include "muster/core/labels.h"
#include "muster/core/progress.h"
#include "muster/core/rng.h"
#include "muster/core/tensors.h"

namespace muster {

struct FitStatistics;
struct HeldOutScores;

// A score that is weights . x + offset for every input x: a vector, or the kernel values with all
// training items.
struct LinearScore {
  std::vector<double> weights;
  double offset = 0;
};

// Immutable and shareable between threads. Exactly one of the two kinds of input is accepted;
// takes_gram() says which.
class Classifier {
 public:
  virtual ~Classifier() = default;
  virtual bool takes_gram() const = 0;
  virtual int num_classes() const = 0;
  // The length of the rows that it scores: of a vector, or of the kernel values with all training
  // items.
  virtual size_t num_inputs() const = 0;
  // n x dim vectors -> n x num_classes scores; larger means more likely.
  virtual Matrix<double> scores(ConstMatrixView vectors) const;
  // n x num_train kernel values against the training items -> n x num_classes scores.
  virtual Matrix<double> scores_from_gram(MatrixView<const double> kernel_rows) const;
  // The score of a class if it is linear in the input; none if it is not (one-vs-one).
  virtual std::optional<LinearScore> linear_score(int) const { return std::nullopt; }
  // Calibrated: for one-label data rows sum to 1 and the largest is the largest score's; for
  // multi-label data each label has a probability of its own.
  virtual Matrix<double> probabilities(MatrixView<const double> scores) const = 0;
  virtual void save(const TensorWriter& out) const = 0;
  // How it was fitted (cross_validation.h); null for a classifier that keeps no record.
  virtual const FitStatistics* statistics() const { return nullptr; }
  // The same with what it knows of unseen items (calibration, typical scores, its score) taken from
  // these; null for a classifier that knows nothing of that kind.
  virtual std::unique_ptr<Classifier> judged_by(const HeldOutScores&) const { return nullptr; }
};

}  // namespace muster
