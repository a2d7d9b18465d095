#include "muster/setfeature/kernel_codebook.h"

#include <cmath>

#include "muster/math/gemm.h"
#include "muster/math/nearest.h"
#include "muster/simd/elementwise.h"

namespace muster {
namespace {

constexpr size_t kBlockRows = 64;

class KernelCodebook final : public SetStatistic {
 public:
  KernelCodebook(Matrix<float> words, double sigma)
      : words_(std::move(words)), half_norms_(half_squared_norms(words_)), sigma_(sigma) {}

  size_t input_dim() const override { return words_.cols(); }
  size_t sum_dim() const override { return words_.rows(); }

  void accumulate(ConstMatrixView vectors, std::span<float> sum) const override {
    Matrix<float> shares(kBlockRows, words_.rows());
    for (size_t begin = 0; begin < vectors.rows; begin += kBlockRows) {
      const size_t count = std::min(kBlockRows, vectors.rows - begin);
      const MatrixView<float> block(shares.data(), count, words_.rows());
      gemm_nt(vectors.slice_rows(begin, count), words_, block);
      for (size_t i = 0; i < count; ++i) share_out(block.row(i));
      add_rows(block, sum);
    }
  }

  void save(const TensorWriter& out) const override {
    out.put("words", words_);
    out.put("sigma", sigma_);
  }

 private:
  // Products with the words become shares that add up to 1. |x|^2 falls out; the nearest word's
  // exponent is made 0, so that the sum is never 0 however far the vector is from all words.
  void share_out(std::span<float> row) const {
    float best = -std::numeric_limits<float>::infinity();
    for (size_t j = 0; j < row.size(); ++j) best = std::max(best, row[j] -= half_norms_[j]);
    for (float& value : row) value -= best;
    exp_scaled(row, static_cast<float>(1 / (sigma_ * sigma_)));
    float total = 0;
    for (float value : row) total += value;
    for (float& value : row) value /= total;
  }

  Matrix<float> words_;
  std::vector<float> half_norms_;
  double sigma_;
};

}  // namespace

void KernelCodebookOptions::fields(Fields& f) {
  vocabulary.fields(f);
  f("sigma", sigma,
    "width of the Gaussian; auto is the root mean squared distance to the nearest word, halved")
      .range(1e-9, 1e9)
      .paper("EMK 3.1");
  pooling.fields(f);
}

SetFeature fit_kernel_codebook(const KernelCodebookOptions& options, const Sample& sample, Rng rng,
                               const Progress& progress) {
  KMeans model = fit_vocabulary("kernel-codebook", options.vocabulary, sample, rng, progress);
  const double spread = std::sqrt(model.error_per_iteration.back()) / 2;
  const double sigma = options.sigma.value_or(spread > 0 ? spread : 1);
  return SetFeature(std::make_unique<KernelCodebook>(std::move(model.centres), sigma),
                    options.pooling);
}

SetFeature load_kernel_codebook(const KernelCodebookOptions& options, const TensorReader& in) {
  Matrix<float> words = in.matrix<float>("words");
  in.require(!words.empty(), "a vocabulary without words");
  const double sigma = in.number("sigma");
  in.require(sigma > 0, "a width that is not positive");
  return SetFeature(std::make_unique<KernelCodebook>(std::move(words), sigma), options.pooling);
}

}  // namespace muster
