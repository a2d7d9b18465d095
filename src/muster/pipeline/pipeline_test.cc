#include "muster/pipeline/pipeline.h"

#include <numeric>

#include "muster/core/parallel.h"
#include "muster/pipeline/fit.h"
#include "muster/pipeline/kernel_fusion.h"
#include "muster/source/cached_source.h"
#include "muster/source/input_source.h"
#include "muster/store/safetensors.h"
#include "support/datasets.h"
#include "support/expect_error.h"

namespace muster {
namespace {

Plan plan(const std::string& text) { return plan_recipe(parse_recipe(text)); }

Pipeline fit(const std::string& recipe, const Dataset& dataset, const CachedSource& source) {
  return fit_pipeline(plan(recipe), source, all_items(dataset), dataset.labels, 3, {});
}

// Small sets on disk, read and cached.
struct SetsOnDisk {
  SetsOnDisk(int classes, int per_class, size_t dim) {
    put_sets(folder, classes, per_class, dim);
    dataset = open_dataset(folder.path());
    source.emplace(dataset);
  }
  Pipeline fit(const std::string& recipe) const { return muster::fit(recipe, dataset, *source); }

  TempDir folder;
  Dataset dataset;
  std::optional<CachedSource> source;
};

// Of one set in memory.
Matrix<double> scores_of(const Pipeline& pipeline, const Matrix<float>& vectors) {
  const std::vector<SetView> views = {
      {.vectors = vectors.data(), .rows = vectors.rows(), .dim = vectors.cols()}};
  const size_t item = 0;
  return pipeline.score(InputSource(views), {&item, 1}, {}).scores;
}

double training_accuracy(const Matrix<double>& scores, const Labels& labels) {
  double correct = 0;
  for (size_t i = 0; i < scores.rows(); ++i) {
    const auto row = scores.row(i);
    correct += std::ranges::max_element(row) - row.begin() == labels.first(i) ? 1 : 0;
  }
  return correct / static_cast<double>(scores.rows());
}

class OnPictures : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(
    Pipeline, OnPictures,
    ::testing::Values(
        "dsift/bow:words=20+rgb/bow:words=10//linear-svm:C=10",
        "dsift/bow:words=20/rbf+rgb/bow:words=10//kernel-svm:C=10",
        "dsift/pca:dim=8/sum-match+rgb/bow:words=10/chi2//kernel-svm:C=10",
        "dsift:step=16/pca:dim=8/places/sum-match/kernel-svm:C=10",
        "dsift/spm:words=20,levels=1,weights=qp,lambda=auto/kernel-svm:C=10",
        "dsift/spm:words=20,levels=1,weights=qp,lambda=auto/klr:C=10",
        "dsift/spm:words=20,vocabulary=forest,weights=mkl+rgb/bow:words=10/chi2//kernel-svm:C=10",
        "dsift/spm:words=20,levels=1+rgb/bow:words=9/rbf+lbp/spm:words=9,levels=0//"
        "kernel-svm:C=10,weights=alignment",
        "dsift/bow:words=20/standardise/rbf/kernel-svm:C=10",
        "dsift/bow:words=20/standardise+rgb/bow:words=10//linear-svm:C=10",
        "dsift/root/bow:words=20,levels=1,power=0.5,l2=true/linear-svm:C=10"),
    [](const auto& info) { return "Recipe" + std::to_string(info.index); });

TEST_P(OnPictures, FitsSavesLoadsAndPredictsTheSame) {
  const TempDir folder, out;
  put_pictures(folder, 3, 6, 48);
  const Dataset dataset = open_dataset(folder.path());
  const CachedSource source(dataset);
  const std::vector<size_t> items = all_items(dataset);
  StageSeconds seconds;
  const Pipeline pipeline =
      fit_pipeline(plan(GetParam()), source, items, dataset.labels, 3, {}, {.seconds = &seconds});
  EXPECT_EQ(seconds.size(), 3u);
  const Matrix<double> scores = pipeline.score(source, items, {}).scores;
  EXPECT_GT(training_accuracy(scores, dataset.labels), 0.6);

  pipeline.save(out / "model.muster");
  const Pipeline loaded = Pipeline::load(out / "model.muster");
  EXPECT_EQ(loaded.score(source, items, {}).scores, scores);
  EXPECT_EQ(loaded.class_names(), dataset.labels.class_names);
  EXPECT_FALSE(loaded.multi_label());

  // One item by itself: equal but for the order of additions in a matrix product.
  const Matrix<double> alone = loaded.score(source, {&items[4], 1}, {}).scores;
  for (size_t c = 0; c < scores.cols(); ++c) EXPECT_NEAR(alone(0, c), scores(4, c), 1e-4);
}

TEST(Pipeline, WeighsTheKernelsOfAllBranchesByTheLabels) {
  const TempDir folder;
  put_pictures(folder, 3, 6, 48);
  const Dataset dataset = open_dataset(folder.path());
  const CachedSource source(dataset);
  for (const char* rule : {"uniform", "qp", "alignment", "sdp", "mkl"}) {
    const Pipeline pipeline =
        fit(fmt::format("dsift/spm:words=20,levels=1+rgb/bow:words=10//kernel-svm:C=10,weights={}",
                        rule),
            dataset, source);
    const std::vector<BranchShare> shares = kernel_shares(pipeline.branches());
    ASSERT_EQ(shares.size(), 2u);
    EXPECT_EQ(shares[0].parts.size(), 5u);
    EXPECT_EQ(shares[1].parts, std::vector<double>{1.0});
    EXPECT_NEAR(shares[0].share + shares[1].share, 1, 1e-12) << rule;
    EXPECT_NEAR(std::accumulate(shares[0].parts.begin(), shares[0].parts.end(), 0.0), 1, 1e-12);
  }
}

TEST(Pipeline, OneKernelAloneIsNotChangedByWeights) {
  const SetsOnDisk sets(3, 8, 6);
  const auto scores = [&](const char* recipe) {
    return sets.fit(recipe).score(*sets.source, all_items(sets.dataset), {}).scores;
  };
  const Matrix<double> plain = scores("sum-match:gamma=0.5/kernel-svm:C=10"),
                       weighed = scores("sum-match:gamma=0.5/kernel-svm:C=10,weights=qp");
  for (size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(plain.data()[i], weighed.data()[i], 1e-4);
}

class OnSets : public ::testing::TestWithParam<const char*> {
 protected:
  OnSets() {
    put_sets(folder_, 3, 8, 6);
    put_set(folder_, "class1/empty.npy", Matrix<float>(0, 6));
    dataset_ = open_dataset(folder_.path());
  }
  TempDir folder_;
  Dataset dataset_;
};
INSTANTIATE_TEST_SUITE_P(Pipeline, OnSets,
                         ::testing::Values("bow:words=12/linear-svm:C=10",
                                           "pca:dim=4/l2/bow:words=12/rbf/kernel-svm",
                                           "sum-match:gamma=auto/kernel-svm:C=10",
                                           "bow:words=12+pca:dim=3/bow:words=5//linear-svm:C=10"),
                         [](const auto& info) { return "Recipe" + std::to_string(info.index); });

TEST_P(OnSets, LearnsWithAnEmptySetAmongThem) {
  const CachedSource source(dataset_);
  const Pipeline pipeline = fit(GetParam(), dataset_, source);
  EXPECT_GT(
      training_accuracy(pipeline.score(source, all_items(dataset_), {}).scores, dataset_.labels),
      0.85);
  for (double score : scores_of(pipeline, Matrix<float>(0, 6)).values())
    EXPECT_TRUE(std::isfinite(score));
}

TEST_P(OnSets, RefusesSetsOfAnotherWidth) {
  const CachedSource source(dataset_);
  const Pipeline pipeline = fit(GetParam(), dataset_, source);
  EXPECT_ERROR(scores_of(pipeline, Matrix<float>(3, 7)), kData,
               "vectors of 7 components were given, the model was trained on vectors of 6");

  put_set(folder_, "class2/wider.npy", class_vectors(5, 7, 2, Rng(1)));
  const Dataset mixed = open_dataset(folder_.path());
  const CachedSource mixed_source(mixed);
  EXPECT_ERROR(fit(GetParam(), mixed, mixed_source), kData, "components");
}

TEST(Pipeline, NothingToLearnFromIsADataError) {
  const TempDir empty;
  for (const char* name : {"a/1.npy", "a/2.npy", "b/1.npy", "b/2.npy"})
    put_set(empty, name, Matrix<float>(0, 6));
  const Dataset dataset = open_dataset(empty.path());
  const CachedSource source(dataset);
  for (const char* recipe : {"bow:words=12/linear-svm", "pca:dim=4/sum-match/kernel-svm"})
    EXPECT_ERROR(fit(recipe, dataset, source), kData, "to learn from");
}

TEST_P(OnSets, SeveralLabelsPerItem) {
  Labels labels = dataset_.labels;
  for (size_t i = 0; i < labels.size(); i += 4) labels.of_item[i] = {0, 2};
  labels.of_item[1].clear();
  const CachedSource source(dataset_);
  const TempDir out;
  const Pipeline pipeline =
      fit_pipeline(plan(GetParam()), source, all_items(dataset_), labels, 3, {});
  EXPECT_TRUE(pipeline.multi_label());
  pipeline.save(out / "model.muster");
  const Pipeline loaded = Pipeline::load(out / "model.muster");
  EXPECT_TRUE(loaded.multi_label());
  EXPECT_EQ(loaded.score(source, all_items(dataset_), {}).scores,
            pipeline.score(source, all_items(dataset_), {}).scores);
}

TEST_P(OnSets, TheSeedDecides) {
  const CachedSource source(dataset_);
  const TempDir out;
  fit(GetParam(), dataset_, source).save(out / "a.muster");
  fit(GetParam(), dataset_, source).save(out / "b.muster");
  EXPECT_EQ(read_whole_file(out / "a.muster"), read_whole_file(out / "b.muster"));
}

TEST(Pipeline, ARecipeWithoutAClassifierIsNotAMethod) {
  const SetsOnDisk sets(2, 3, 4);
  EXPECT_ERROR(sets.fit("bow:words=4"), kUsage, "no classifier");
}

TEST(Pipeline, RefusesFilesThatAreNoModelOfThisVersion) {
  const TempDir out;
  EXPECT_ERROR(Pipeline::load(out / "missing.muster"), kData, "missing.muster");
  out.put("text.muster", "hello");
  EXPECT_ERROR(Pipeline::load(out / "text.muster"), kData, "text.muster");
  TensorMap map;
  write_safetensors(out / "other.muster", map);
  EXPECT_ERROR(Pipeline::load(out / "other.muster"), kData, "not a muster model");
  map.metadata = {{"kind", "muster model"}, {"format_version", "999"}};
  write_safetensors(out / "future.muster", map);
  EXPECT_ERROR(Pipeline::load(out / "future.muster"), kData, "format version 999");
}

// One model with the arrays of another where their names begin so.
void write_mixed(const std::filesystem::path& path, const std::filesystem::path& model,
                 const std::filesystem::path& other, std::string_view beginning) {
  TensorMap mixed = read_safetensors(model);
  for (const auto& [name, tensor] : read_safetensors(other).tensors)
    if (name.starts_with(beginning)) mixed.tensors[name] = tensor;
  write_safetensors(path, mixed);
}

TEST(Pipeline, BranchesOfUnequalTrainingSetsAreADataError) {
  const SetsOnDisk sets(2, 4, 4);
  const TempDir out;
  const Plan two = plan("bow:words=4/rbf:gamma=1+bow:words=3//kernel-svm:C=1");
  const std::vector<size_t> fewer = {0, 1, 4, 5};
  const Labels& labels = sets.dataset.labels;
  fit_pipeline(two, *sets.source, all_items(sets.dataset), labels, 3, {}).save(out / "a.muster");
  fit_pipeline(two, *sets.source, fewer, labels.select(fewer), 3, {}).save(out / "b.muster");
  write_mixed(out / "mixed.muster", out / "a.muster", out / "b.muster", "branch.1.");
  EXPECT_ERROR(Pipeline::load(out / "mixed.muster"), kData, "unequal");
}

TEST(Pipeline, AClassifierOfOtherInputsIsADataError) {
  const SetsOnDisk sets(2, 4, 4);
  const TempDir out;
  for (const char* last : {"linear-svm:C=1", "kernel-svm:C=1"}) {
    sets.fit(fmt::format("bow:words=4/{}", last)).save(out / "four.muster");
    sets.fit(fmt::format("bow:words=3/{}", last)).save(out / "three.muster");
    write_mixed(out / "mixed.muster", out / "four.muster", out / "three.muster", "classifier.");
    if (std::string_view(last).starts_with("linear"))
      EXPECT_ERROR(Pipeline::load(out / "mixed.muster"), kData, "other inputs")
    else
      EXPECT_NO_THROW(Pipeline::load(out / "mixed.muster"));  // as many training sets
  }
}

TEST(Pipeline, KernelMachinesKeepTheNamesOfTheirItems) {
  const SetsOnDisk sets(2, 4, 4);
  const TempDir out;
  sets.fit("bow:words=4/rbf/kernel-svm:C=1").save(out / "model.muster");
  const Pipeline loaded = Pipeline::load(out / "model.muster");
  ASSERT_EQ(loaded.training()->names.size(), sets.dataset.items.size());
  for (size_t i = 0; i < sets.dataset.items.size(); ++i)
    EXPECT_EQ(loaded.training()->names[i], sets.dataset.items[i].name);

  TensorMap map = read_safetensors(out / "model.muster");
  map.tensors.erase("training.names");  // as before 0.2.0
  write_safetensors(out / "old.muster", map);
  EXPECT_TRUE(Pipeline::load(out / "old.muster").training()->names.empty());
  TensorWriter(map).put("training.names", std::vector<uint8_t>{'[', '1', ']'});
  write_safetensors(out / "bad.muster", map);
  EXPECT_ERROR(Pipeline::load(out / "bad.muster").training(), kData, "names of other items");
}

TEST(Pipeline, ADamagedModelIsADataError) {
  const SetsOnDisk sets(2, 4, 4);
  const TempDir out;
  sets.fit("pca:dim=3/bow:words=4/rbf/kernel-svm:C=1").save(out / "model.muster");
  const TensorMap whole = read_safetensors(out / "model.muster");
  for (const auto& [name, tensor] : whole.tensors) {
    TensorMap less = whole;
    less.tensors.erase(name);
    write_safetensors(out / "less.muster", less);
    try {
      Pipeline::load(out / "less.muster");  // statistics may be absent; all else is missed
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kData) << name << ": " << error.what();
    }
  }
  for (const auto& [name, value] : whole.metadata) {
    TensorMap less = whole;
    less.metadata.erase(name);
    write_safetensors(out / "less.muster", less);
    EXPECT_ERROR(Pipeline::load(out / "less.muster"), kData, "");
  }
}

}  // namespace
}  // namespace muster
