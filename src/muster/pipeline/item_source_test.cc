#include "muster/pipeline/item_source.h"

#include "muster/core/parallel.h"
#include "muster/simd/half.h"
#include "support/datasets.h"
#include "support/expect_error.h"

namespace muster {
namespace {

std::optional<PlannedStage> extractor(const char* text) {
  return plan_recipe(parse_recipe(text)).branches[0].extractor;
}

TEST(ItemSource, KeptOrMadeAnewASetIsTheSame) {
  const TempDir folder;
  put_pictures(folder, 2, 3, 48);
  const Dataset dataset = open_dataset(folder.path());
  const ItemSource keeps(dataset), forgets(dataset, 0), keeps_some(dataset, 12000);
  for (const auto& stage :
       {extractor("dsift/bow"), extractor("rgb/bow"), extractor("dsift:step=4/bow")})
    for (size_t item : all_items(dataset)) {
      const VectorSet expected = forgets.load(stage, item);
      EXPECT_GT(expected.size(), 0u);
      for (int again = 0; again < 2; ++again) {
        EXPECT_EQ(keeps.load(stage, item), expected);
        EXPECT_EQ(keeps_some.load(stage, item), expected);
        EXPECT_EQ(forgets.load(stage, item), expected);
      }
      EXPECT_EQ(load_item(dataset.items[item].path, ItemKind::kImages, stage), expected);
    }
}

TEST(ItemSource, ExtractedFeaturesAreHalfPrecision) {
  const TempDir folder;
  put_pictures(folder, 2, 1, 48);
  const Dataset dataset = open_dataset(folder.path());
  const VectorSet set = ItemSource(dataset, 0).load(extractor("dsift/bow"), 0);
  std::vector<uint16_t> halves(set.vectors.size());
  Matrix<float> rounded(set.size(), set.dim());
  floats_to_halves(set.vectors.values(), halves);
  halves_to_floats(halves, rounded.values());
  EXPECT_EQ(rounded, set.vectors);
}

TEST(ItemSource, VectorSetsAreExactAndNeedNoExtractor) {
  const TempDir folder;
  put_sets(folder, 2, 3, 5);
  put_set(folder, "class0/empty.npy", Matrix<float>(0, 5));
  const Dataset dataset = open_dataset(folder.path());
  const ItemSource keeps(dataset), forgets(dataset, 0);
  for (size_t item : all_items(dataset)) {
    const Matrix<float> expected = read_npy<float>(dataset.items[item].path);
    EXPECT_EQ(forgets.load({}, item).vectors, expected);
    for (int again = 0; again < 2; ++again) EXPECT_EQ(keeps.load({}, item).vectors, expected);
    EXPECT_EQ(keeps.load(extractor("dsift/bow"), item).vectors, expected);
  }
}

TEST(ItemSource, ReportsWhatCannotBeRead) {
  const TempDir folder;
  put_pictures(folder, 2, 3, 32);
  folder.put(synth_class_names(2)[0] + "/broken.png", "no picture at all");
  folder.put(synth_class_names(2)[1] + "/empty.jpg");
  const Dataset dataset = open_dataset(folder.path());
  const ItemSource source(dataset);
  const ThreadLimit two(2);
  const std::vector<ItemFailure> failures =
      source.prepare(extractor("dsift/bow"), all_items(dataset), {});
  ASSERT_EQ(failures.size(), 2u);
  EXPECT_LT(failures[0].item, failures[1].item);
  for (const ItemFailure& failure : failures)
    EXPECT_NE(failure.reason.find(
                  std::filesystem::path(dataset.items[failure.item].path).filename().string()),
              std::string::npos)
        << failure.reason;
  EXPECT_ERROR(source.load(extractor("dsift/bow"), failures[0].item), kData, "broken.png");
}

TEST(ItemSource, PicturesWithoutAFeatureStageAreAUsageError) {
  const TempDir folder;
  put_pictures(folder, 2, 1, 32);
  const Dataset dataset = open_dataset(folder.path());
  EXPECT_ERROR(ItemSource(dataset).load({}, 0), kUsage, "dsift");
  EXPECT_ERROR(ItemSource(dataset).prepare({}, all_items(dataset), {}), kUsage, "dsift");
  EXPECT_ERROR(load_item(dataset.items[0].path, ItemKind::kImages, {}), kUsage, "dsift");
}

}  // namespace
}  // namespace muster
