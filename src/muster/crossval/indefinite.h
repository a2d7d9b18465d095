// A Gram matrix that is not positive semi-definite leaves the support vector machine without a
// unique solution. Here this is detected, reported and treated (Chen et al., JMLR 10, 2009). With
// K = U L U^T and a diagonal M,
//
//   clip     K' = U max(L, 0) U^T   M = 1 [L > 0]   what is negative counts as noise
//   flip     K' = U |L| U^T         M = sign L      what is negative counts as information
//   shift    K' = K + |l_min| I     M = 1           pairs keep their values, the diagonal grows
//   refuse   an error
//
// For clip and flip K' = K P with P = U M U^T. Kernel values of new items are treated alike by
// k' = k P, and since scores are k' a = k (P a), P goes into the coefficients: prediction knows
// nothing of it.
//
// "Negative" means below -1e-6 ||K||_F; what is above that cannot be told from the rounding of
// kernels in single precision. Cost: the test is a Cholesky decomposition, n^3 / 3; only if it
// fails all eigenvalues are computed, about 9 n^3 with vectors (clip, flip). On the calling thread.
#pragma once

#include <optional>
#include <span>

#include "muster/core/matrix.h"
#include "muster/core/options.h"

namespace muster {

enum class Indefinite { kClip, kFlip, kShift, kRefuse };

// The option of classifiers that take Grams.
inline void indefinite_field(Fields& f, Indefinite& treatment) {
  f.choice("indefinite", treatment, {"clip", "flip", "shift", "refuse"},
           "what becomes of a kernel matrix that is not positive semi-definite");
}

// The spectrum of a Gram that was found indefinite.
struct IndefiniteGram {
  double smallest_eigenvalue = 0;
  double largest_eigenvalue = 0;
  size_t negative = 0;  // eigenvalues

  bool operator==(const IndefiniteGram&) const = default;
};

class DefiniteGram {
 public:
  // A Gram that is known to need no treatment.
  explicit DefiniteGram(Matrix<double> gram) : gram_(std::move(gram)) {}
  // Looks, and treats it if necessary. With kRefuse an indefinite Gram is a data error that says
  // what to do, in the name of `stage`. Symmetric values are required; ones that are not finite are
  // left as they are, for the solver to refuse.
  DefiniteGram(Matrix<double> gram, Indefinite treatment, const char* stage);

  const Matrix<double>& gram() const { return gram_; }
  // Empty if there was nothing to treat.
  const std::optional<IndefiniteGram>& found() const { return found_; }
  // a <- P a
  void fold_into(std::span<double> coefficients) const;

 private:
  Matrix<double> gram_;
  std::optional<IndefiniteGram> found_;
  Matrix<double> directions_;  // eigenvectors of the negative eigenvalues, one per row
  double factor_ = 0;          // P = I - factor * sum of u u^T over these
};

}  // namespace muster
