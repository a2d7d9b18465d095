#include "muster/setfeature/vlad.h"

#include <cmath>

#include "muster/math/nearest.h"

namespace muster {
namespace {

class Vlad final : public SetStatistic {
 public:
  Vlad(Matrix<float> words, bool intra)
      : words_(std::move(words)), half_norms_(half_squared_norms(words_)), intra_(intra) {}

  size_t input_dim() const override { return words_.cols(); }
  size_t sum_dim() const override { return words_.size(); }

  void accumulate(ConstMatrixView vectors, std::span<float> sum) const override {
    std::vector<uint32_t> nearest(vectors.rows);
    find_nearest(vectors, words_, half_norms_, nearest);
    const size_t d = words_.cols();
    for (size_t i = 0; i < vectors.rows; ++i) {
      const float* x = vectors.row(i).data();
      const float* word = words_.row(nearest[i]).data();
      float* out = sum.data() + nearest[i] * d;
      for (size_t t = 0; t < d; ++t) out[t] += x[t] - word[t];
    }
  }

  void finish(std::span<const float> sum, size_t count, std::span<float> out) const override {
    SetStatistic::finish(sum, count, out);
    if (!intra_) return;
    for (size_t w = 0; w < words_.rows(); ++w) {
      const std::span<float> part = out.subspan(w * words_.cols(), words_.cols());
      double norm = 0;
      for (float value : part) norm += static_cast<double>(value) * value;
      if (norm <= 0) continue;
      const auto scale = static_cast<float>(1 / std::sqrt(norm));
      for (float& value : part) value *= scale;
    }
  }

  bool additive() const override { return !intra_; }

  // Of a word's part v = s / |s|: (g - (g.v) v) / |s|.
  void pull_back(std::span<const float> sum, size_t count, std::span<const double> gradient,
                 std::span<double> out) const override {
    SetStatistic::pull_back(sum, count, gradient, out);
    if (!intra_) return;
    const size_t d = words_.cols();
    for (size_t begin = 0; begin < sum.size(); begin += d) {
      double norm = 0, along = 0;
      for (size_t t = begin; t < begin + d; ++t) {
        norm += static_cast<double>(sum[t]) * sum[t];
        along += gradient[t] * sum[t];
      }
      if (norm <= 0) continue;
      for (size_t t = begin; t < begin + d; ++t)
        out[t] = (gradient[t] - along / norm * sum[t]) / std::sqrt(norm);
    }
  }

  void save(const TensorWriter& out) const override { out.put("words", words_); }

 private:
  Matrix<float> words_;
  std::vector<float> half_norms_;
  bool intra_;
};

}  // namespace

SetFeature fit_vlad(const VladOptions& options, const Sample& sample, Rng rng,
                    const Progress& progress) {
  KMeans model = fit_vocabulary("vlad", options.vocabulary, sample, rng, progress);
  return SetFeature(std::make_unique<Vlad>(std::move(model.centres), options.intra),
                    options.pooling);
}

SetFeature load_vlad(const VladOptions& options, const TensorReader& in) {
  Matrix<float> words = in.matrix<float>("words");
  in.require(words.rows() > 0, "a vocabulary without words");
  return SetFeature(std::make_unique<Vlad>(std::move(words), options.intra), options.pooling);
}

}  // namespace muster
