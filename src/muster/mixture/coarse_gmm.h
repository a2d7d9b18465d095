// A mixture with diagonal covariances in 16-bit integers. Its logarithms of densities cost half of
// what single precision costs; only those of the components that have a noticeable share in a
// vector are then evaluated in single precision. Shares below 0.001 keep the coarse value, whose
// relative error is that of the logarithm: on SIFT descriptors 0.004 for the median component, and
// 0.2 for one that is far narrower than the mixture.
#pragma once

#include <optional>

#include "muster/mixture/gmm.h"
#include "muster/simd/int16_product.h"
#include "muster/simd/shares_simd.h"

namespace muster {

// Immutable and shareable between threads.
class CoarseGmm {
 public:
  // Empty if integers would not pay or would be too coarse for this mixture.
  static std::optional<CoarseGmm> of(const Gmm& mixture);

  // What Gmm::posteriors() gives, for vectors as centre_and_square() gives them. The rows of
  // `responsibilities` have padded() values, those past the last component without meaning. False
  // if so many components share the vectors that single precision for all is faster: then what was
  // written does not count. On the calling thread.
  bool posteriors(ConstMatrixView block, MatrixView<float> responsibilities,
                  std::span<float> log_densities) const;
  size_t padded() const { return factors_.padded(); }

 private:
  explicit CoarseGmm(const Gmm& mixture);
  void round_slopes(const Matrix<double>& slopes);

  DiagonalGaussians exact_;
  Int16Factors factors_;
  std::vector<float> bias_;              // logarithms at the origin, and zeros up to padded()
  std::vector<float> zeros_;             // one per component
  std::vector<float> scales_, weights_;  // of round_to_int16()
  std::vector<float> steps_;             // of the logarithm, per unit of the integers' sum
  std::vector<double> errors_;           // standard deviations of the logarithms
};

}  // namespace muster
