// The form that learned local feature maps share: phi(x) = P k_Z(x), k_Z(x) = (k(x, z_1), ..., k(x,
// z_B)), so that the mean over a set is P applied once to the mean of k_Z (EMK 3.1). Cost O(m B d +
// D B) per set.
#pragma once

#include "muster/localkernel/local_kernel.h"
#include "muster/setfeature/set_feature.h"

namespace muster {

class KernelMap final : public SetStatistic {
 public:
  // basis: B x d; projection: D x B.
  KernelMap(LocalKernel kernel, Matrix<float> basis, Matrix<float> projection,
            std::vector<double> objective = {});

  size_t input_dim() const override { return basis_.cols(); }
  size_t sum_dim() const override { return basis_.rows(); }
  size_t dim() const override { return projection_.rows(); }
  void accumulate(ConstMatrixView vectors, std::span<float> sum) const override;
  void finish(std::span<const float> sum, size_t count, std::span<float> out) const override;
  void finish_cells(ConstMatrixView sums, std::span<const size_t> counts,
                    MatrixView<float> out) const override;
  void pull_back(std::span<const float> sum, size_t count, std::span<const double> gradient,
                 std::span<double> out) const override;
  void save(const TensorWriter& out) const override;
  static std::unique_ptr<KernelMap> load(LocalKernelOptions options, const TensorReader& in);

 private:
  LocalKernel kernel_;
  Matrix<float> basis_;
  std::vector<float> half_norms_;
  Matrix<float> projection_;
  std::vector<double> objective_;  // per iteration of learning, kept for the record
};

}  // namespace muster
