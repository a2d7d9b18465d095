// y = B (x - mean): the reducer behind PCA and every other linear reduction.
#pragma once

#include "muster/reduce/reducer.h"

namespace muster {

class Projection final : public Reducer {
 public:
  // `basis` has one direction per row.
  Projection(std::vector<float> mean, Matrix<float> basis);

  size_t input_dim() const override { return basis_.cols(); }
  size_t output_dim() const override { return basis_.rows(); }
  VectorSet apply(VectorSet set) const override;
  void save(const TensorWriter& out) const override;
  static std::unique_ptr<Reducer> load(const TensorReader& in);

 private:
  std::vector<float> mean_;
  Matrix<float> basis_;
  std::vector<float> offset_;  // B mean, subtracted after the product
};

}  // namespace muster
