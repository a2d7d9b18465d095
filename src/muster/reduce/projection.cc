#include "muster/reduce/projection.h"

#include "muster/core/parallel.h"
#include "muster/math/gemm.h"

namespace muster {
namespace {

constexpr size_t kBlockRows = 4096;

std::vector<double> mean_of_rows(ConstMatrixView vectors) {
  std::vector<double> mean(vectors.cols);
  for (size_t i = 0; i < vectors.rows; ++i)
    for (size_t t = 0; t < vectors.cols; ++t) mean[t] += vectors(i, t);
  for (double& value : mean) value /= static_cast<double>(std::max<size_t>(vectors.rows, 1));
  return mean;
}

}  // namespace

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

void Projection::save(TensorWriter out) const {
  out.put("mean", mean_);
  out.put("basis", basis_);
}

std::unique_ptr<Reducer> Projection::load(TensorReader in) {
  std::vector<float> mean = in.values<float>("mean");
  Matrix<float> basis = in.matrix<float>("basis");
  in.require(mean.size() == basis.cols(), "mean and basis differ in dimension");
  return std::make_unique<Projection>(std::move(mean), std::move(basis));
}

Moments sample_moments(ConstMatrixView vectors) {
  const size_t n = vectors.rows, d = vectors.cols;
  Moments out{mean_of_rows(vectors), Matrix<double>(d, d)};
  const size_t num_blocks = (n + kBlockRows - 1) / kBlockRows;
  std::vector<Matrix<float>> products(num_blocks);
  parallel_for(num_blocks, 1, [&](size_t block, size_t) {
    const size_t begin = block * kBlockRows, count = std::min(kBlockRows, n - begin);
    Matrix<float> centred(vectors.slice_rows(begin, count));
    for (size_t i = 0; i < count; ++i)
      for (size_t t = 0; t < d; ++t) centred(i, t) -= static_cast<float>(out.mean[t]);
    products[block] = Matrix<float>(d, d);
    gemm_tn(centred, centred, products[block]);
  });
  for (const Matrix<float>& product : products)
    for (size_t i = 0; i < d * d; ++i) out.covariance.data()[i] += product.data()[i];
  for (double& value : out.covariance.values()) value /= static_cast<double>(std::max<size_t>(n, 1));
  return out;
}

}  // namespace muster
