#include "muster/setfeature/bow.h"

namespace muster {
namespace {

class Bow final : public SetStatistic {
 public:
  explicit Bow(std::unique_ptr<const Words> words) : words_(std::move(words)) {}

  size_t input_dim() const override { return words_->input_dim(); }
  size_t sum_dim() const override { return words_->size(); }

  void accumulate(ConstMatrixView vectors, std::span<float> sum) const override {
    std::vector<uint32_t> words(vectors.rows * words_->per_vector());
    words_->assign(vectors, words);
    for (uint32_t word : words) sum[word] += 1;
  }

  void project(ConstMatrixView vectors, std::span<const double> direction,
               std::span<double> out) const override {
    const size_t each = words_->per_vector();
    std::vector<uint32_t> words(vectors.rows * each);
    words_->assign(vectors, words);
    for (size_t i = 0; i < vectors.rows; ++i) {
      out[i] = 0;
      for (size_t w = 0; w < each; ++w) out[i] += direction[words[i * each + w]];
    }
  }

  void save(const TensorWriter& out) const override { words_->save(out); }

 private:
  std::unique_ptr<const Words> words_;
};

}  // namespace

SetFeature fit_bow(const BowOptions& options, const Sample& sample, Rng rng,
                   const Progress& progress) {
  return SetFeature(
      std::make_unique<Bow>(fit_words("bow", options.vocabulary, sample, rng, progress)),
      options.pooling);
}

SetFeature load_bow(const BowOptions& options, const TensorReader& in) {
  return SetFeature(std::make_unique<Bow>(load_words(options.vocabulary, in)), options.pooling);
}

}  // namespace muster
