#include "muster/source/cached_source.h"

#include <atomic>

#include "muster/core/memory.h"
#include "muster/core/parallel.h"
#include "muster/features/dsift.h"
#include "muster/features/rgb.h"
#include "muster/simd/half.h"
#include "support/datasets.h"
#include "support/expect_error.h"

namespace muster {
namespace {

Extraction dense_sift(int step = 8) {
  DsiftOptions options;
  options.step = step;
  return {fmt::format("dsift:step={}", step), make_dsift(options), 300};
}
Extraction colours() { return {"rgb", make_rgb({}), 300}; }

TEST(CachedSource, KeptOrMadeAgainASetIsTheSame) {
  const TempDir folder;
  put_pictures(folder, 2, 3, 48);
  const Dataset dataset = open_dataset(folder.path());
  const CachedSource keeps(dataset), forgets(dataset, {.memory_bytes = 0}),
      keeps_some(dataset, {.memory_bytes = 24000});
  const DatasetSource plain(dataset);
  for (const Extraction& stage : {dense_sift(), colours(), dense_sift(4)})
    for (size_t item : all_items(dataset)) {
      const VectorSet expected = forgets.load(&stage, item);
      EXPECT_GT(expected.size(), 0u);
      for (int again = 0; again < 2; ++again) {
        EXPECT_EQ(keeps.load(&stage, item), expected);
        EXPECT_EQ(keeps_some.load(&stage, item), expected);
        EXPECT_EQ(forgets.load(&stage, item), expected);
      }
      EXPECT_EQ(plain.load(&stage, item), expected);
    }
}

TEST(CachedSource, ExtractedFeaturesAreHalfPrecision) {
  const TempDir folder;
  put_pictures(folder, 2, 1, 48);
  const Dataset dataset = open_dataset(folder.path());
  const Extraction sift = dense_sift();
  const VectorSet set = CachedSource(dataset, {.memory_bytes = 0}).load(&sift, 0);
  std::vector<uint16_t> halves(set.vectors.size());
  Matrix<float> rounded(set.size(), set.dim());
  floats_to_halves(set.vectors.values(), halves);
  halves_to_floats(halves, rounded.values());
  EXPECT_EQ(rounded, set.vectors);
}

TEST(CachedSource, VectorSetsAreExactAndNeedNoExtractor) {
  const TempDir folder;
  put_sets(folder, 2, 3, 5);
  put_set(folder, "class0/empty.npy", Matrix<float>(0, 5));
  const Dataset dataset = open_dataset(folder.path());
  const CachedSource keeps(dataset), forgets(dataset, {.memory_bytes = 0});
  const Extraction sift = dense_sift();
  for (size_t item : all_items(dataset)) {
    const Matrix<float> expected = read_npy<float>(dataset.items[item].path);
    EXPECT_EQ(forgets.load(nullptr, item).vectors, expected);
    for (int again = 0; again < 2; ++again) EXPECT_EQ(keeps.load(nullptr, item).vectors, expected);
    EXPECT_EQ(keeps.load(&sift, item).vectors, expected);
  }
}

TEST(CachedSource, ReportsWhatCannotBeRead) {
  const TempDir folder;
  put_pictures(folder, 2, 3, 32);
  folder.put(synth_class_names(2)[0] + "/broken.png", "no picture at all");
  folder.put(synth_class_names(2)[1] + "/empty.jpg");
  const Dataset dataset = open_dataset(folder.path());
  const CachedSource source(dataset);
  const Extraction sift = dense_sift();
  const ThreadLimit two(2);
  const std::vector<ItemFailure> failures = source.prepare(&sift, all_items(dataset), {});
  ASSERT_EQ(failures.size(), 2u);
  EXPECT_LT(failures[0].item, failures[1].item);
  for (const ItemFailure& failure : failures)
    EXPECT_NE(failure.reason.find(
                  std::filesystem::path(dataset.items[failure.item].path).filename().string()),
              std::string::npos)
        << failure.reason;
  EXPECT_ERROR(source.load(&sift, failures[0].item), kData, "broken.png");
}

TEST(CachedSource, PicturesWithoutAFeatureStageAreAUsageError) {
  const TempDir folder;
  put_pictures(folder, 2, 1, 32);
  const Dataset dataset = open_dataset(folder.path());
  EXPECT_ERROR(CachedSource(dataset).load(nullptr, 0), kUsage, "dsift");
  EXPECT_ERROR(CachedSource(dataset).prepare(nullptr, all_items(dataset), {}), kUsage, "dsift");
  EXPECT_ERROR(DatasetSource(dataset).load(nullptr, 0), kUsage, "dsift");
}

// Counts what it is asked for.
class CountingSource : public SetSource {
 public:
  explicit CountingSource(std::unique_ptr<const SetSource> base,
                          std::vector<std::atomic<int>>& loads)
      : base_(std::move(base)), loads_(loads) {}
  size_t size() const override { return base_->size(); }
  std::string name(size_t item) const override { return base_->name(item); }
  ItemKind kind(size_t item) const override { return base_->kind(item); }
  VectorSet load(const Extraction* extraction, size_t item) const override {
    ++loads_[item];
    return base_->load(extraction, item);
  }
  std::string root() const override { return base_->root(); }
  std::string stamp(size_t item) const override { return base_->stamp(item); }

 private:
  std::unique_ptr<const SetSource> base_;
  std::vector<std::atomic<int>>& loads_;
};

TEST(CachedSource, AVisitAndLaterLoadsShareOneExtraction) {
  const TempDir folder, cache;
  put_pictures(folder, 2, 4, 32);
  const Dataset dataset = open_dataset(folder.path());
  const Extraction sift = dense_sift();
  const std::vector<SourceOptions> ways = {
      {},                      // in memory
      {.memory_bytes = 6000},  // one set there, others in a file
      {.memory_bytes = 0, .disk = {cache.path() / "features"}}};
  for (size_t way = 0; way < ways.size(); ++way) {
    std::vector<std::atomic<int>> loads(dataset.items.size());
    const CachedSource source(
        std::make_unique<CountingSource>(std::make_unique<DatasetSource>(dataset), loads),
        ways[way]);
    std::vector<VectorSet> visited(dataset.items.size());
    source.visit(&sift, all_items(dataset),
                 [&](size_t i, const VectorSet& set) { visited[i] = set; }, {});
    for (const size_t item : all_items(dataset)) {
      EXPECT_EQ(source.load(&sift, item), visited[item]);
      EXPECT_EQ(loads[item], 1) << way;
    }
  }
}

// Pictures whose features are large, and cost nothing to extract.
class LargeFeatures : public SetSource {
 public:
  explicit LargeFeatures(size_t items) : items_(items) {}
  size_t size() const override { return items_; }
  std::string name(size_t item) const override { return fmt::format("{}.png", item); }
  ItemKind kind(size_t) const override { return ItemKind::kImages; }
  VectorSet load(const Extraction*, size_t item) const override {
    VectorSet set;
    set.vectors = Matrix<float>(20000, 64);
    set.vectors(item, 0) = 1;
    return set;
  }
  std::string root() const override { return "/"; }
  std::string stamp(size_t) const override { return ""; }

 private:
  size_t items_;
};

TEST(CachedSource, FeaturesInAFileTakeNoMemory) {
#ifdef MUSTER_SANITIZED
  GTEST_SKIP() << "AddressSanitizer holds on to freed memory, so the peak says nothing";
#endif
  constexpr size_t kItems = 100;  // 244 MiB in half precision
  const CachedSource source(std::make_unique<LargeFeatures>(kItems), {.memory_bytes = 1 << 20});
  const Extraction sift = dense_sift();
  reset_peak_memory();
  const double before = peak_memory_since_reset_mib();
  for (size_t item = 0; item < kItems; ++item) (void)source.load(&sift, item);
  for (size_t item = 0; item < kItems; ++item) {
    const VectorSet set = source.load(&sift, item);
    ASSERT_EQ(set.vectors(item, 0), 1);
    ASSERT_EQ(set.vectors(item + 1, 0), 0);
  }
  EXPECT_LT(peak_memory_since_reset_mib() - before, 60);
}

}  // namespace
}  // namespace muster
