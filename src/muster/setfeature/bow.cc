#include "muster/setfeature/bow.h"

#include "muster/math/nearest.h"

namespace muster {
namespace {

class Bow final : public SetStatistic {
 public:
  explicit Bow(Matrix<float> words) : words_(std::move(words)), half_norms_(half_squared_norms(words_)) {}

  size_t input_dim() const override { return words_.cols(); }
  size_t sum_dim() const override { return words_.rows(); }

  void accumulate(ConstMatrixView vectors, std::span<float> sum) const override {
    std::vector<uint32_t> nearest(vectors.rows);
    find_nearest(vectors, words_, half_norms_, nearest);
    for (uint32_t word : nearest) sum[word] += 1;
  }

  void save(TensorWriter out) const override { out.put("words", words_); }

 private:
  Matrix<float> words_;
  std::vector<float> half_norms_;
};

}  // namespace

SetFeature fit_bow(const BowOptions& options, const Sample& sample, Rng rng, const Progress& progress) {
  KMeans model = fit_vocabulary("bow", options.vocabulary, sample, rng, progress);
  return SetFeature(std::make_unique<Bow>(std::move(model.centres)), options.pooling);
}

SetFeature load_bow(const BowOptions& options, TensorReader in) {
  Matrix<float> words = in.matrix<float>("words");
  in.require(words.rows() > 0, "a vocabulary without words");
  return SetFeature(std::make_unique<Bow>(std::move(words)), options.pooling);
}

}  // namespace muster
