#include "muster/codebook/words.h"

#include "muster/codebook/forest.h"
#include "muster/math/nearest.h"

namespace muster {
namespace {

// The nearest of the centres.
class NearestWords final : public Words {
 public:
  explicit NearestWords(Matrix<float> centres)
      : centres_(std::move(centres)), half_norms_(half_squared_norms(centres_)) {}

  size_t input_dim() const override { return centres_.cols(); }
  size_t size() const override { return centres_.rows(); }
  void assign(ConstMatrixView vectors, std::span<uint32_t> out) const override {
    find_nearest(vectors, centres_, half_norms_, out);
  }
  void save(const TensorWriter& out) const override { out.put("words", centres_); }

 private:
  Matrix<float> centres_;
  std::vector<float> half_norms_;
};

class ForestWords final : public Words {
 public:
  explicit ForestWords(Forest forest) : forest_(std::move(forest)) {}

  size_t input_dim() const override { return forest_.input_dim(); }
  size_t size() const override { return forest_.num_words(); }
  size_t per_vector() const override { return forest_.num_trees(); }
  void assign(ConstMatrixView vectors, std::span<uint32_t> out) const override {
    forest_.assign(vectors, out);
  }
  void save(const TensorWriter& out) const override { forest_.save(out.scope("forest")); }

 private:
  Forest forest_;
};

}  // namespace

void WordsOptions::fields(Fields& f) {
  VocabularyOptions::fields(f);
  f.choice("vocabulary", vocabulary, {"k-means", "forest"},
           "how words are learned; forest is fast for thousands of words")
      .paper("DSPM 4.2");
  f("trees", trees, "forest: number of trees, which share the words")
      .range(1, 1000)
      .paper("DSPM 4.2");
  f("tries", tries, "forest: random tests that a node chooses from")
      .range(1, 10000)
      .paper("DSPM 4.2");
}

std::unique_ptr<const Words> fit_words(std::string_view stage, const WordsOptions& options,
                                       const Sample& sample, const Rng& rng,
                                       const Progress& progress) {
  if (options.vocabulary == VocabularyKind::kForest) {
    if (options.per_category)
      throw usage_error(
          "{}: option per_category=true is for vocabulary=k-means; a forest sees the categories "
          "anyway",
          stage);
    return std::make_unique<ForestWords>(
        Forest::fit({options.words, options.trees, options.tries}, sample, rng));
  }
  KMeans model = fit_vocabulary(stage, options, sample, rng, progress);
  return std::make_unique<NearestWords>(std::move(model.centres));
}

std::unique_ptr<const Words> load_words(const WordsOptions& options, const TensorReader& in) {
  if (options.vocabulary == VocabularyKind::kForest)
    return std::make_unique<ForestWords>(Forest::load(in.scope("forest")));
  Matrix<float> centres = in.matrix<float>("words");
  in.require(!centres.empty(), "a vocabulary without words");
  in.require_input_dim(centres.cols());
  return std::make_unique<NearestWords>(std::move(centres));
}

}  // namespace muster
