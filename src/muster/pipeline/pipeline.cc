#include "muster/pipeline/pipeline.h"

#include "muster/pipeline/lazy_training.h"
#include "muster/pipeline/sharded_items.h"
#include "muster/pipeline/stopwatch.h"

namespace muster {
namespace {

constexpr const char *kTestEncode = "test_encode", *kTestClassify = "test_classify";

// Kernel values between some sets (one list per branch) and the training sets.
Matrix<double> joined_gram(std::span<const FittedBranch> branches,
                           std::span<const Represented> sets, const Progress& progress) {
  Matrix<double> sum(sets[0].size(), branches[0].training.size());
  for (size_t b = 0; b < branches.size(); ++b) {
    Matrix<double> gram(sum.rows(), sum.cols());
    branches[b].kernel->gram(sets[b], branches[b].training, gram, progress);
    for (size_t i = 0; i < sum.size(); ++i) sum.data()[i] += branches[b].scale * gram.data()[i];
  }
  return sum;
}

}  // namespace

Pipeline::Pipeline(Plan plan, std::vector<FittedBranch> branches,
                   std::shared_ptr<const Classifier> classifier,
                   std::vector<std::string> class_names, bool multi_label, uint64_t seed,
                   std::shared_ptr<const KeptTraining> training,
                   std::shared_ptr<const ClassMixtures> class_mixtures)
    : Pipeline(std::move(plan), std::move(branches), std::move(classifier), std::move(class_names),
               multi_label, seed, std::make_shared<LazyTraining>(std::move(training)),
               std::move(class_mixtures)) {}

Pipeline::Pipeline(Plan plan, std::vector<FittedBranch> branches,
                   std::shared_ptr<const Classifier> classifier,
                   std::vector<std::string> class_names, bool multi_label, uint64_t seed,
                   std::shared_ptr<LazyTraining> training,
                   std::shared_ptr<const ClassMixtures> class_mixtures)
    : plan_(std::move(plan)),
      branches_(std::move(branches)),
      classifier_(std::move(classifier)),
      class_names_(std::move(class_names)),
      multi_label_(multi_label),
      seed_(seed),
      training_(std::move(training)),
      class_mixtures_(std::move(class_mixtures)) {}

const KeptTraining* Pipeline::training() const { return training_->get(); }

ItemScores Pipeline::score(const SetSource& source, std::span<const size_t> items,
                           const Progress& progress, StageSeconds* seconds) const {
  ItemScores out;
  AlsoPerItem also;  // class mixtures are of a pipeline of one branch
  if (class_mixtures_) {
    out.likelihood_ratios.resize(items.size());
    also = {[&](size_t i, const VectorSet& set) {
              out.likelihood_ratios[i] = class_mixtures_->score(set.vectors);
            },
            {rows_of(out.likelihood_ratios)}};
  }
  if (plan_.on_vectors() && stays_sharded(items.size(), joined_dim(branches_))) {
    const Stopwatch encode(seconds, kTestEncode, cpu_seconds);
    out.scores = score_in_tiles(branches_, *classifier_, source, items, progress, also);
    return out;
  }
  if (plan_.on_vectors()) {
    Matrix<float> vectors;
    {
      const Stopwatch encode(seconds, kTestEncode, cpu_seconds);
      vectors = encode_items(branches_, source, items, progress, also);
    }
    const Stopwatch classify(seconds, kTestClassify, cpu_seconds);
    out.scores = classifier_->scores(vectors);
    return out;
  }
  const Matrix<double> rows = kernel_rows(source, items, progress, also, seconds);
  const Stopwatch classify(seconds, kTestClassify, cpu_seconds);
  out.scores = classifier_->scores_from_gram(rows);
  return out;
}

Matrix<double> Pipeline::kernel_rows(const SetSource& source, std::span<const size_t> items,
                                     const Progress& progress, const AlsoPerItem& also,
                                     StageSeconds* seconds) const {
  std::vector<Represented> sets;
  {
    const Stopwatch encode(seconds, kTestEncode, cpu_seconds);
    for (const FittedBranch& branch : branches_)
      sets.push_back(represent_items(branch, source, items, progress, also));
  }
  const Stopwatch classify(seconds, kTestClassify, cpu_seconds);
  return joined_gram(branches_, sets, progress);
}

}  // namespace muster
