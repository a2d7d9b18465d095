#include "muster/setfeature/gmm_bow.h"

#include "muster/simd/elementwise.h"

namespace muster {
namespace {

constexpr size_t kBlockRows = 512;

class GmmBow final : public SetStatistic {
 public:
  explicit GmmBow(Gmm mixture) : mixture_(std::move(mixture)) {}

  size_t input_dim() const override { return mixture_.dim(); }
  size_t sum_dim() const override { return mixture_.num_components(); }

  void accumulate(ConstMatrixView vectors, std::span<float> sum) const override {
    Matrix<float> responsibilities(std::min(kBlockRows, vectors.rows), mixture_.num_components());
    for (size_t begin = 0; begin < vectors.rows; begin += kBlockRows) {
      const size_t count = std::min(kBlockRows, vectors.rows - begin);
      const MatrixView<float> block = responsibilities.view().slice_rows(0, count);
      mixture_.posteriors(vectors.slice_rows(begin, count), block);
      add_rows(block, sum);
    }
  }

  void save(const TensorWriter& out) const override { mixture_.save(out); }

 private:
  Gmm mixture_;
};

}  // namespace

SetFeature fit_gmm_bow(const GmmBowOptions& options, const Sample& sample, Rng rng,
                       const Progress& progress) {
  MixtureVocabulary vocabulary =
      fit_mixture_vocabulary("gmm-bow", options.vocabulary, sample, rng, progress);
  return SetFeature(std::make_unique<GmmBow>(std::move(vocabulary.mixture)), options.pooling);
}

SetFeature load_gmm_bow(const GmmBowOptions& options, const TensorReader& in) {
  return SetFeature(std::make_unique<GmmBow>(Gmm::load(in)), options.pooling);
}

}  // namespace muster
