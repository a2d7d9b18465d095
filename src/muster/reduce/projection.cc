#include "muster/reduce/projection.h"

#include "muster/math/gemm.h"

namespace muster {

Projection::Projection(std::vector<float> mean, Matrix<float> basis)
    : mean_(std::move(mean)), basis_(std::move(basis)), offset_(basis_.rows()) {
  MUSTER_CHECK(mean_.size() == basis_.cols());
  for (size_t j = 0; j < basis_.rows(); ++j) {
    double sum = 0;
    for (size_t t = 0; t < mean_.size(); ++t) sum += static_cast<double>(basis_(j, t)) * mean_[t];
    offset_[j] = static_cast<float>(sum);
  }
}

VectorSet Projection::apply(VectorSet set) const {
  Matrix<float> projected(set.size(), output_dim());
  if (set.size() > 0) {
    MUSTER_CHECK(set.dim() == input_dim());
    for (size_t i = 0; i < projected.rows(); ++i)
      for (size_t j = 0; j < offset_.size(); ++j) projected(i, j) = -offset_[j];
    gemm_nt(set.vectors, basis_, projected, 1, 1);
  }
  set.vectors = std::move(projected);
  return set;
}

void Projection::save(const TensorWriter& out) const {
  out.put("mean", mean_);
  out.put("basis", basis_);
}

std::unique_ptr<Reducer> Projection::load(const TensorReader& in) {
  std::vector<float> mean = in.values<float>("mean");
  Matrix<float> basis = in.matrix<float>("basis");
  in.require(mean.size() == basis.cols(), "mean and basis differ in dimension");
  return std::make_unique<Projection>(std::move(mean), std::move(basis));
}

}  // namespace muster
