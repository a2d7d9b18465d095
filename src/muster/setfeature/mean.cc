#include "muster/setfeature/mean.h"

namespace muster {
namespace {

class Mean final : public SetStatistic {
 public:
  explicit Mean(size_t dim) : dim_(dim) {}

  size_t input_dim() const override { return dim_; }
  size_t sum_dim() const override { return dim_; }

  void accumulate(ConstMatrixView vectors, std::span<float> sum) const override {
    for (size_t i = 0; i < vectors.rows; ++i)
      for (size_t t = 0; t < dim_; ++t) sum[t] += vectors(i, t);
  }

  void project(ConstMatrixView vectors, std::span<const double> direction,
               std::span<double> out) const override {
    for (size_t i = 0; i < vectors.rows; ++i) {
      out[i] = 0;
      for (size_t t = 0; t < dim_; ++t) out[i] += direction[t] * vectors(i, t);
    }
  }

  void save(const TensorWriter& out) const override { out.put("dim", static_cast<double>(dim_)); }

 private:
  size_t dim_;
};

}  // namespace

SetFeature fit_mean(const MeanOptions& options, const Sample& sample, Rng, const Progress&) {
  return SetFeature(std::make_unique<Mean>(sample.vectors.cols()), options.pooling);
}

SetFeature load_mean(const MeanOptions& options, const TensorReader& in) {
  const double dim = in.number("dim");
  in.require(dim >= 1 && dim <= 1e9 && dim == static_cast<double>(static_cast<size_t>(dim)),
             "a mean of no dimension");
  return SetFeature(std::make_unique<Mean>(static_cast<size_t>(dim)), options.pooling);
}

}  // namespace muster
