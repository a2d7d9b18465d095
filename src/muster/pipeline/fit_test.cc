#include "muster/pipeline/fit.h"

#include <atomic>

#include "muster/core/parallel.h"
#include "muster/pipeline/universal_file.h"
#include "muster/source/cached_source.h"
#include "support/datasets.h"
#include "support/expect_error.h"

namespace muster {
namespace {

// The pictures of a data set, counting how often each is extracted.
class CountingSource : public DatasetSource {
 public:
  CountingSource(const Dataset& dataset, std::vector<std::atomic<int>>& loads)
      : DatasetSource(dataset), loads_(loads) {}
  VectorSet load(const Extraction* extraction, size_t item) const override {
    ++loads_[item];
    return DatasetSource::load(extraction, item);
  }

 private:
  std::vector<std::atomic<int>>& loads_;
};

class Extractions : public ::testing::TestWithParam<const char*> {
 protected:
  Extractions() {
    put_pictures(folder_, 2, 5, 40);
    dataset_ = open_dataset(folder_.path());
  }
  // How often each picture was extracted, at most, to fit the recipe.
  int most(const std::string& recipe, SourceOptions options, FitOptions fit = {}) const {
    std::vector<std::atomic<int>> loads(dataset_.items.size());
    const CachedSource source(std::make_unique<CountingSource>(dataset_, loads), options);
    if (!fit.left_out) fit.left_out = [](std::span<const ItemFailure>) { ADD_FAILURE(); };
    fit_pipeline(plan_recipe(parse_recipe(recipe)), source, all_items(dataset_), dataset_.labels, 1,
                 {}, fit);
    int out = 0;
    for (const std::atomic<int>& count : loads) out = std::max(out, count.load());
    return out;
  }

  TempDir folder_, cache_;
  Dataset dataset_;
};
INSTANTIATE_TEST_SUITE_P(
    Fit, Extractions,
    ::testing::Values("dsift/pca:dim=6/bow:words=6/linear-svm:C=1",
                      "dsift/root/pca:dim=6/fisher:components=2/standardise/linear-svm:C=1",
                      "dsift/bow:words=6/rbf/kernel-svm:C=1", "dsift/sum-match/kernel-svm:C=1",
                      "dsift/bow:words=6/standardise/rbf/kernel-svm:C=1",
                      "dsift/bow:words=6+rgb/bow:words=4//linear-svm:C=1"),
    [](const auto& info) { return "Recipe" + std::to_string(info.index); });

TEST_P(Extractions, OnceWithACacheAndNeverMoreThanTwice) {
  const int features = std::string(GetParam()).find('+') == std::string::npos ? 1 : 2;
  EXPECT_EQ(most(GetParam(), {}), features);
  EXPECT_EQ(most(GetParam(), {.memory_bytes = 0, .disk = {cache_.path() / "on-disk"}}), features);
  EXPECT_EQ(most(GetParam(), {.memory_bytes = 0}), 2 * features);
  EXPECT_LE(most(GetParam(), {.memory_bytes = 0, .disk = {cache_.path() / "full", 1}}),
            2 * features);
}

TEST_P(Extractions, AnUnreadablePictureCostsTheOthersNone) {
  const int features = std::string(GetParam()).find('+') == std::string::npos ? 1 : 2;
  folder_.put(synth_class_names(2)[0] + "/a-broken.png", "no picture");
  dataset_ = open_dataset(folder_.path());
  size_t left_out = 0;
  const FitOptions fit{
      .left_out = [&](std::span<const ItemFailure> failures) { left_out += failures.size(); }};
  EXPECT_EQ(most(GetParam(), {.memory_bytes = 0}, fit), 2 * features);
  EXPECT_EQ(left_out, 1u);
}

TEST_F(Extractions, ClassMixturesCostNoExtraction) {
  for (const char* recipe : {"dsift/pca:dim=6/fisher:components=2/linear-svm:C=1",
                             "dsift/pca:dim=6/supervector:components=2/standardise/linear-svm:C=1",
                             "dsift/pca:dim=6/ppk:components=2/kernel-svm:C=1"})
    EXPECT_EQ(most(recipe, {.memory_bytes = 0}, {.class_mixtures = true}), 2) << recipe;
}

TEST(Fit, UnreadableItemsAreLeftOutOnlyIfTheCallerIsTold) {
  const TempDir folder;
  put_pictures(folder, 2, 4, 40);
  folder.put(synth_class_names(2)[1] + "/broken.png", "no picture");
  const Dataset dataset = open_dataset(folder.path());
  const CachedSource source(dataset);
  const Plan plan = plan_recipe(parse_recipe("dsift/bow:words=6/linear-svm:C=1"));
  const auto fit = [&](const FitOptions& options) {
    return fit_pipeline(plan, source, all_items(dataset), dataset.labels, 1, {}, options);
  };
  EXPECT_ERROR(fit({}), kData, "broken.png");
  std::vector<size_t> told;
  FitOptions options{.keep_training = true};
  options.left_out = [&](std::span<const ItemFailure> failures) {
    for (const ItemFailure& failure : failures) told.push_back(failure.item);
  };
  EXPECT_EQ(fit(options).training()->labels.size(), 8u);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(dataset.items[told[0]].name.find("broken"), std::string::npos);
}

}  // namespace
}  // namespace muster
