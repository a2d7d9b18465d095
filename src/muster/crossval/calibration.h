// Scores become probabilities, fitted on scores of items that took no part in training.
#pragma once

#include <vector>

#include "muster/core/labels.h"
#include "muster/core/matrix.h"
#include "muster/core/tensors.h"

namespace muster {

// One-label data: p_k = exp(a s_k) / sum_j exp(a s_j) with one temperature a > 0, so that the most
// probable class is the predicted one. Multi-label data: p_k = 1 / (1 + exp(A_k s_k + B_k)),
// Platt's sigmoid, one per label. Immutable; thread-safe.
class Calibration {
 public:
  // Uncalibrated: a = 1, or A = -1, B = 0.
  static Calibration identity(int num_classes, bool multi_label);
  // Maximum likelihood on n x classes held-out scores; targets are smoothed by Platt's rule, so
  // that separable scores give no certainty. Items whose label is difficult are left out of it.
  static Calibration fit(MatrixView<const double> scores, const Labels& labels);

  // n x classes. One-label rows sum to 1 and keep the order of the scores at the top, exactly.
  Matrix<double> probabilities(MatrixView<const double> scores) const;
  bool multi_label() const { return multi_label_; }
  int num_classes() const { return num_classes_; }
  double temperature() const { return slopes_.front(); }

  void save(const TensorWriter& out) const;
  static Calibration load(const TensorReader& in);

 private:
  int num_classes_ = 0;
  bool multi_label_ = false;
  std::vector<double> slopes_;   // a, or A per label
  std::vector<double> offsets_;  // empty, or B per label
};

}  // namespace muster
