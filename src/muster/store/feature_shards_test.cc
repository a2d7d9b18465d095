#include "muster/store/feature_shards.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "muster/core/parallel.h"
#include "muster/core/rng.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace muster {
namespace {
namespace fs = std::filesystem;
using testing::ElementsAre;

const FeatureMetadata kMeta = {{"recipe", "dsift:step=8"}};

VectorSet random_set(size_t rows, size_t dim, uint64_t seed, bool with_places = true) {
  Rng rng(seed);
  VectorSet set;
  set.vectors = Matrix<float>(rows, dim);
  for (float& value : set.vectors.values()) value = static_cast<float>(rng.normal());
  set.places = Matrix<float>(rows, with_places ? 3 : 0);
  for (float& value : set.places.values()) value = static_cast<float>(rng.uniform());
  set.image_width = 300;
  set.image_height = 250;
  return set;
}

size_t count_files(const fs::path& directory) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(directory), {}));
}

TEST(FeatureShards, LoadGivesWhatRoundToRestGives) {
  const TempDir dir;
  std::vector<VectorSet> sets;
  for (size_t i = 0; i < 20; ++i) sets.push_back(random_set(i * 7 % 13, 9, i));
  {
    FeatureWriter writer(dir / "f", kMeta, 1000);
    for (size_t i = 0; i < sets.size(); ++i) writer.add(fmt::format("class/{}.jpg", i), sets[i]);
    writer.finish();
  }
  EXPECT_GT(count_files(dir / "f"), 1u);
  const FeatureStore store = FeatureStore::open(dir / "f");
  ASSERT_EQ(store.size(), sets.size());
  EXPECT_EQ(store.metadata(), kMeta);
  EXPECT_EQ(store.find("class/7.jpg"), 7u);
  EXPECT_FALSE(store.has("class/99.jpg"));
  parallel_for(sets.size(), 1,
               [&](size_t i, size_t) { EXPECT_EQ(store.load(i), round_to_half(sets[i])) << i; });
}

TEST(FeatureShards, ValuesBeyondHalfAreKeptExactly) {
  const TempDir dir;
  const VectorSet small = random_set(3, 4, 1), after = random_set(3, 4, 2);
  VectorSet large = random_set(3, 4, 3);
  large.vectors(1, 1) = 65505;
  FeatureWriter writer(dir / "f", kMeta);
  writer.add("small", small);
  writer.add("large", large);
  writer.add("after", after);
  writer.finish();
  const FeatureStore store = FeatureStore::open(dir / "f");
  EXPECT_EQ(count_files(dir / "f"), 1u);
  EXPECT_EQ(store.load(0), round_to_half(small));
  EXPECT_EQ(store.load(1), large);
  EXPECT_EQ(round_to_half(large), large);
  EXPECT_EQ(store.load(2), round_to_half(after));
}

TEST(FeatureShards, SetsOfOtherShapesStartANewShard) {
  const TempDir dir;
  const std::vector<VectorSet> sets = {random_set(2, 4, 1), random_set(2, 5, 2),
                                       random_set(2, 5, 3, false), VectorSet()};
  FeatureWriter writer(dir / "f", {});
  for (size_t i = 0; i < sets.size(); ++i) writer.add(std::to_string(i), sets[i]);
  writer.finish();
  const FeatureStore store = FeatureStore::open(dir / "f");
  for (size_t i = 0; i < sets.size(); ++i) EXPECT_EQ(store.load(i), round_to_half(sets[i]));
}

TEST(FeatureShards, AnInterruptedExtractionGoesOn) {
  const TempDir dir;
  const auto set = [](size_t i) { return random_set(10, 8, i); };
  const auto name = [](size_t i) { return "item " + std::to_string(i); };
  {
    FeatureWriter writer(dir / "f", kMeta, 700);  // three sets per shard; the seventh is lost
    for (size_t i = 0; i < 7; ++i) writer.add(name(i), set(i));
  }
  dir.put("f/.muster-1-0.tmp", "leftover");
  {
    FeatureWriter writer(dir / "f", kMeta, 700);
    EXPECT_TRUE(writer.has(name(5)));
    EXPECT_FALSE(writer.has(name(6)));
    for (size_t i = 0; i < 10; ++i) writer.add(name(i), i < 6 ? VectorSet() : set(i));
    writer.finish();
    writer.finish();
  }
  const FeatureStore store = FeatureStore::open(dir / "f");
  ASSERT_EQ(store.size(), 10u);
  EXPECT_FALSE(fs::exists(dir / "f/.muster-1-0.tmp"));
  for (size_t i = 0; i < 10; ++i)
    EXPECT_EQ(store.load(*store.find(name(i))), round_to_half(set(i)));
}

TEST(FeatureShards, AnotherRecipeIsRefused) {
  const TempDir dir;
  {
    FeatureWriter writer(dir / "f", kMeta);
    writer.add("a", random_set(2, 2, 1));
    writer.finish();
  }
  EXPECT_ERROR(FeatureWriter(dir / "f", {{"recipe", "dsift:step=4"}}), kUsage,
               "with recipe 'dsift:step=8', not 'dsift:step=4'");
  EXPECT_ERROR(FeatureWriter(dir / "f", {}), kUsage, "other settings");
  FeatureWriter again(dir / "f", kMeta);
  EXPECT_ERROR(FeatureWriter(dir / "f", kMeta), kRuntime, "another process is writing");
}

TEST(FeatureShards, BadFoldersAreRefused) {
  const TempDir dir;
  EXPECT_ERROR(FeatureStore::open(dir / "none"), kData, "none");
  EXPECT_ERROR(FeatureStore::open(dir.path()), kData, "holds no features");
  EXPECT_ERROR(FeatureWriter(dir / "no/parent", kMeta), kRuntime, "cannot create folder");
  EXPECT_ERROR(FeatureWriter(dir.put("file"), kMeta), kRuntime, "cannot create folder");
  dir.put("f/shard-00000.safetensors", "damaged");
  EXPECT_ERROR(FeatureStore::open(dir / "f"), kData, "shard-00000");
  EXPECT_ERROR(FeatureWriter(dir / "f", kMeta), kData, "shard-00000");
}

RC_GTEST_PROP(FeatureShards, RoundingTwiceChangesNothing, (std::vector<float> values)) {
  VectorSet set;
  set.vectors = Matrix<float>(1, values.size());
  for (size_t i = 0; i < values.size(); ++i) set.vectors(0, i) = std::fmod(values[i], 60000.0f);
  const VectorSet once = round_to_half(set);
  RC_ASSERT(round_to_half(once) == once);
}

}  // namespace
}  // namespace muster
