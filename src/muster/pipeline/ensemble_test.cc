// Models of several members, and of more classes than they were trained on.
#include "muster/pipeline/ensemble.h"

#include "muster/evaluate/measures.h"
#include "muster/pipeline/add_class.h"
#include "muster/pipeline/fit.h"
#include "muster/source/cached_source.h"
#include "muster/source/input_source.h"
#include "muster/store/safetensors.h"
#include "support/datasets.h"
#include "support/expect_error.h"

namespace muster {
namespace {

class EnsembleTest : public ::testing::Test {
 protected:
  EnsembleTest() {
    put_sets(folder_, 3, 8, 6);
    dataset_ = open_dataset(folder_.path());
  }
  Pipeline fit(const std::string& recipe, const std::vector<size_t>& items,
               bool keep = false) const {
    const CachedSource source(dataset_);
    return fit_pipeline(plan_recipe(parse_recipe(recipe)), source, items, labels_of(items), 3, {},
                        {.keep_training = keep});
  }
  Pipeline fit(const std::string& recipe) const { return fit(recipe, all_items(dataset_)); }
  // Without the classes that none of the items has.
  Labels labels_of(const std::vector<size_t>& items) const {
    Labels labels = dataset_.labels.select(items);
    int most = 0;
    for (const auto& of_item : labels.of_item)
      for (int label : of_item) most = std::max(most, label);
    labels.class_names.resize(static_cast<size_t>(most) + 1);
    return labels;
  }
  std::vector<size_t> items_of(int first, int last) const {
    std::vector<size_t> out;
    for (size_t i = 0; i < dataset_.items.size(); ++i)
      if (dataset_.labels.first(i) >= first && dataset_.labels.first(i) <= last) out.push_back(i);
    return out;
  }
  Predictions score(const Ensemble& model) const {
    const CachedSource source(dataset_);
    return model.predict(source, all_items(dataset_), {});
  }
  // One file by itself.
  static Predictions score_file(const Ensemble& model, const std::filesystem::path& path) {
    const std::vector<std::filesystem::path> paths = {path};
    const size_t item = 0;
    return model.predict(InputSource(paths), {&item, 1}, {});
  }
  double accuracy_of(const Pipeline& pipeline) const {
    return accuracy(true_classes(dataset_.labels),
                    predicted_classes(score(Ensemble(pipeline)).scores));
  }

  TempDir folder_, out_;
  Dataset dataset_;
};

constexpr const char* kLinear = "bow:words=6/linear-svm:C=10";
constexpr const char* kKernel = "bow:words=6/rbf:gamma=1/klr:C=10";

TEST_F(EnsembleTest, FusedProbabilitiesAreTheWeightedMean) {
  const Ensemble a(fit(kLinear)), b(fit(kKernel));
  const Ensemble fused = Ensemble::fuse({a.members()[0], b.members()[0]}, {3, 1}, {"a", "b"});
  const Predictions of_a = score(a), of_b = score(b), of_both = score(fused);
  ASSERT_EQ(of_both.typicality.size(), dataset_.items.size());
  for (size_t i = 0; i < of_both.scores.rows(); ++i) {
    for (size_t c = 0; c < 3; ++c)
      EXPECT_NEAR(of_both.probabilities(i, c),
                  0.75 * of_a.probabilities(i, c) + 0.25 * of_b.probabilities(i, c), 1e-12);
    EXPECT_NEAR(of_both.typicality[i], 0.75 * of_a.typicality[i] + 0.25 * of_b.typicality[i],
                1e-12);
  }
  EXPECT_EQ(of_both.scores, of_both.probabilities);
  EXPECT_EQ(fused.branches().size(), 2u);

  fused.save(out_ / "fused.muster");
  const Ensemble loaded = Ensemble::load(out_ / "fused.muster");
  EXPECT_EQ(score(loaded).probabilities, of_both.probabilities);
  loaded.save(out_ / "again.muster");
  EXPECT_EQ(read_whole_file(out_ / "again.muster"), read_whole_file(out_ / "fused.muster"));
  EXPECT_ERROR(Pipeline::load(out_ / "fused.muster"), kData, "not a muster model");
  const Predictions one = score_file(loaded, dataset_.items[5].path);
  for (size_t c = 0; c < 3; ++c)
    EXPECT_NEAR(one.probabilities(0, c), of_both.probabilities(5, c), 1e-6);
}

TEST_F(EnsembleTest, MembersMustHaveTheSameClasses) {
  const Pipeline all = fit(kLinear), fewer = fit(kLinear, items_of(0, 1));
  EXPECT_ERROR(Ensemble::fuse({all, fewer}, {1, 1}, {"all", "few"}), kData,
               "all knows 'class2', which few does not");
  EXPECT_ERROR(Ensemble::fuse({fewer, all}, {1, 1}, {"few", "all"}), kData,
               "all knows 'class2', which few does not");
  Dataset several = dataset_;
  several.labels.multi_label = true;
  const CachedSource source(several);
  const Pipeline multi = fit_pipeline(plan_recipe(parse_recipe(kLinear)), source,
                                      all_items(several), several.labels, 3, {});
  EXPECT_ERROR(Ensemble::fuse({all, multi}, {1, 1}, {"one", "many"}), kData,
               "one gives one label per item, many several");
}

TEST_F(EnsembleTest, ADamagedFusedModelIsADataError) {
  Ensemble::fuse({fit(kLinear), fit(kKernel)}, {1, 1}, {"a", "b"}).save(out_ / "fused.muster");
  const TensorMap whole = read_safetensors(out_ / "fused.muster");
  for (const auto& [name, value] : whole.metadata) {
    TensorMap less = whole;
    less.metadata.erase(name);
    write_safetensors(out_ / "less.muster", less);
    EXPECT_ERROR(Ensemble::load(out_ / "less.muster"), kData, "");
  }
}

TEST_F(EnsembleTest, AClassIsAddedToWhatWasLearned) {
  for (const char* recipe :
       {kLinear, kKernel, "bow:words=6/logistic:C=10", "sum-match:gamma=1/kernel-svm",
        "bow:words=6+emk-fourier:dim=20//linear-svm:C=10"}) {
    SCOPED_TRACE(recipe);
    const std::vector<size_t> known = items_of(0, 1), added = items_of(2, 2);
    const Pipeline before = fit(recipe, known, true);
    before.save(out_ / "two.muster");
    const CachedSource source(dataset_);
    const Pipeline after = add_classes(Pipeline::load(out_ / "two.muster"), source, added,
                                       dataset_.labels.select(added), {});
    EXPECT_EQ(after.class_names(), dataset_.labels.class_names);
    EXPECT_GE(accuracy_of(after), accuracy_of(fit(recipe)) - 0.1);
    // The representation is the one that was learned before.
    after.save(out_ / "three.muster");
    const TensorMap two = read_safetensors(out_ / "two.muster"),
                    three = read_safetensors(out_ / "three.muster");
    for (const auto& [name, tensor] : two.tensors)
      if (name.starts_with("branch.") && !name.starts_with("branch.0.training")) {
        ASSERT_EQ(three.tensors.at(name).num_bytes, tensor.num_bytes) << name;
        EXPECT_EQ(std::memcmp(three.tensors.at(name).data, tensor.data, tensor.num_bytes), 0)
            << name;
      }
    // And once more, from the file.
    EXPECT_ERROR(add_classes(Pipeline::load(out_ / "three.muster"), source, added,
                             dataset_.labels.select(added), {}),
                 kData, "knows all classes");
  }
}

TEST_F(EnsembleTest, AKeptKernelMatrixIsGrownToTheSameModel) {
  const std::vector<size_t> known = items_of(0, 1), added = items_of(2, 2);
  const CachedSource source(dataset_);
  for (const char* recipe :
       {"sum-match:gamma=1/kernel-svm", "bow:words=6/rbf+sum-match:gamma=1//klr"}) {
    SCOPED_TRACE(recipe);
    fit(recipe, known, true).save(out_ / "kept.muster");
    const Pipeline kept = Pipeline::load(out_ / "kept.muster"), plain = fit(recipe, known);
    ASSERT_EQ(kept.training()->gram.rows(), known.size());
    EXPECT_TRUE(plain.training()->gram.empty());
    const Labels labels = dataset_.labels.select(added);
    const Pipeline grown = add_classes(kept, source, added, labels, {}),
                   again = add_classes(plain, source, added, labels, {});
    EXPECT_EQ(grown.training()->gram.rows(), known.size() + added.size());
    const Matrix<double> a = score(Ensemble(grown)).scores, b = score(Ensemble(again)).scores;
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a.data()[i], b.data()[i], 1e-6);
  }
}

TEST_F(EnsembleTest, AddingNeedsTheTrainingItems) {
  const std::vector<size_t> added = items_of(2, 2);
  const CachedSource source(dataset_);
  EXPECT_ERROR(
      add_classes(fit(kLinear, items_of(0, 1)), source, added, dataset_.labels.select(added), {}),
      kUsage, "--keep-training");
  Labels several = dataset_.labels.select(added);
  several.of_item[0] = {0, 2};
  EXPECT_ERROR(add_classes(fit(kLinear, items_of(0, 1), true), source, added, several, {}), kData,
               "one label per item");
}

TEST_F(EnsembleTest, LabelsAreAddedToMultiLabelModels) {
  Labels labels = labels_of(items_of(0, 1));
  for (size_t i = 0; i < labels.size(); i += 5) labels.of_item[i] = {0, 1};
  labels.difficult.resize(labels.size());
  labels.difficult[1] = {1};
  const CachedSource source(dataset_);
  const Pipeline before = fit_pipeline(plan_recipe(parse_recipe(kLinear)), source, items_of(0, 1),
                                       labels, 3, {}, {.keep_training = true});
  before.save(out_ / "m.muster");
  const Pipeline loaded = Pipeline::load(out_ / "m.muster");
  ASSERT_NE(loaded.training(), nullptr);
  EXPECT_EQ(loaded.training()->labels.of_item, labels.of_item);
  EXPECT_EQ(loaded.training()->labels.difficult, labels.difficult);
  const std::vector<size_t> added = items_of(2, 2);
  const Pipeline after = add_classes(loaded, source, added, dataset_.labels.select(added), {});
  EXPECT_TRUE(after.multi_label());
  const LabelMeasures measures = label_measures(score(Ensemble(after)).scores, dataset_.labels);
  EXPECT_GT(measures.average_precision[2], 0.9);
}

TEST_F(EnsembleTest, WhatIsUnlikeAllClassesIsNotTypical) {
  const Ensemble model(fit("bow:words=6/linear-svm"));
  const std::vector<double> known = score(model).typicality;
  double mean = 0;
  for (const double value : known) mean += value / static_cast<double>(known.size());
  EXPECT_GT(mean, 0.4);
  // Half of the vectors of one class, half of another: between both.
  Matrix<float> mixed = class_vectors(20, 6, 0, Rng(5));
  const Matrix<float> other = class_vectors(10, 6, 1, Rng(6));
  std::ranges::copy(other.values(), mixed.data());
  EXPECT_LT(score_file(model, put_set(out_, "mixed.npy", mixed)).typicality.at(0), 0.2);
}

class WithClassMixtures : public EnsembleTest {
 protected:
  // Sets large enough that none looks like a class that it is not by chance.
  WithClassMixtures() {
    for (size_t i = 0; i < dataset_.items.size(); ++i) {
      const int label = dataset_.labels.first(i);
      put_set(folder_, dataset_.items[i].name, class_vectors(60, 6, label, Rng(i)));
    }
    dataset_ = open_dataset(folder_.path());
  }
  Pipeline fit_with_mixtures(const std::string& recipe, const std::vector<size_t>& items) const {
    const CachedSource source(dataset_);
    return fit_pipeline(plan_recipe(parse_recipe(recipe)), source, items, labels_of(items), 3, {},
                        {.keep_training = true, .class_mixtures = true});
  }
};

TEST_F(WithClassMixtures, UnseenClassesAreRejectedAndKnownOnesNot) {
  for (const char* recipe :
       {"supervector:components=2/linear-svm:C=10,calibrate=false",
        "fisher:components=2/linear-svm:C=10",
        "supervector:components=2/rbf:gamma=1/normalise/kernel-svm:C=10",
        "ppk:components=2/kernel-svm:C=10", "klk:components=2,covariance=full/klr:C=10"}) {
    const Ensemble model(fit_with_mixtures(recipe, items_of(0, 1)));
    const Predictions scored = score(model);
    EXPECT_EQ(scored.typicality_by, TypicalityBy::kLikelihoodRatio);
    double known = 0, unseen = 0;
    for (size_t i = 0; i < dataset_.items.size(); ++i)
      (dataset_.labels.first(i) < 2 ? known : unseen) += scored.typicality[i] < 0.1 ? 1 : 0;
    EXPECT_LE(known, 2) << recipe << ", of 16";
    EXPECT_GE(unseen, 7) << recipe << ", of 8";

    // From its file the same, item by item as well.
    model.save(out_ / "m.muster");
    const Ensemble loaded = Ensemble::load(out_ / "m.muster");
    EXPECT_EQ(score(loaded).typicality, scored.typicality);
    EXPECT_EQ(score_file(loaded, dataset_.items[9].path).typicality.at(0), scored.typicality[9]);
    loaded.save(out_ / "again.muster");
    EXPECT_EQ(read_whole_file(out_ / "again.muster"), read_whole_file(out_ / "m.muster"));
  }
}

TEST_F(WithClassMixtures, OnlyRecipesWithAUniversalMixtureHaveThem) {
  EXPECT_ERROR(fit_with_mixtures(kLinear, all_items(dataset_)), kUsage, "no universal mixture");
  EXPECT_ERROR(
      fit_with_mixtures("fisher:components=2+bow:words=4//linear-svm", all_items(dataset_)), kUsage,
      "2 branches");
}

TEST_F(WithClassMixtures, FusedModelsMixThemAndAddedClassesLoseThem) {
  const char* recipe = "supervector:components=2/linear-svm:C=10";
  const Pipeline a = fit_with_mixtures(recipe, items_of(0, 1)), b = fit(recipe, items_of(0, 1));
  const Predictions of_a = score(Ensemble(a)), of_b = score(Ensemble(b));
  EXPECT_EQ(of_b.typicality_by, TypicalityBy::kBestScore);
  EXPECT_EQ(of_a.scores, of_b.scores);
  const Predictions both = score(Ensemble::fuse({a, b}, {1, 3}, {"a", "b"}));
  EXPECT_EQ(both.typicality_by, TypicalityBy::kBoth);
  for (size_t i = 0; i < both.typicality.size(); ++i)
    EXPECT_NEAR(both.typicality[i], 0.25 * of_a.typicality[i] + 0.75 * of_b.typicality[i], 1e-12);
  const CachedSource source(dataset_);
  const std::vector<size_t> added = items_of(2, 2);
  const Pipeline more = add_classes(a, source, added, dataset_.labels.select(added), {});
  EXPECT_EQ(more.class_mixtures(), nullptr);
}

}  // namespace
}  // namespace muster
