#include "muster/source/feature_cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "muster/features/dsift.h"
#include "muster/source/cached_source.h"
#include "support/datasets.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

class FeatureCacheTest : public ::testing::Test {
 protected:
  FeatureCacheTest() {
    put_pictures(pictures_, 2, 4, 48);
    dataset_ = open_dataset(pictures_.path());
  }
  CacheOptions options(size_t max_bytes = size_t{1} << 30) const {
    return {cache_.path() / "features", max_bytes};
  }
  // Fills the cache; counts what had to be extracted.
  std::shared_ptr<const FeatureStore> fill(const std::string& stage, const CacheOptions& options) {
    extracted_ = 0;
    failures_.clear();
    return FeatureCache(options).fill(
        DatasetSource(dataset_), stage, all_items(dataset_),
        [&](size_t item) {
          ++extracted_;
          VectorSet set;
          set.vectors = Matrix<float>(50, 8);
          set.vectors(0, 0) = static_cast<float>(item);
          return set;
        },
        {}, failures_);
  }
  static size_t bytes_in(const fs::path& folder) {
    size_t total = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file()) total += entry.file_size();
    return total;
  }

  TempDir pictures_, cache_;
  Dataset dataset_;
  std::atomic<int> extracted_{0};
  std::vector<ItemFailure> failures_;
};

TEST_F(FeatureCacheTest, ExtractsOnceAndOnlyWhatChanged) {
  const auto store = fill("a", options());
  EXPECT_EQ(extracted_, 8);
  ASSERT_TRUE(store);
  for (const size_t item : all_items(dataset_)) {
    const auto place = store->find(DatasetSource(dataset_).stamp(item));
    ASSERT_TRUE(place);
    EXPECT_EQ(store->load(*place).vectors(0, 0), static_cast<float>(item));
  }
  fill("a", options());
  EXPECT_EQ(extracted_, 0);
  fill("b", options());
  EXPECT_EQ(extracted_, 8);
  fs::last_write_time(dataset_.items[3].path,
                      fs::file_time_type::clock::now() + std::chrono::hours(1));
  fill("a", options());
  EXPECT_EQ(extracted_, 1);
}

TEST_F(FeatureCacheTest, RemovesWhatWasNotUsedForLongest) {
  fill("a", options());
  const size_t one = bytes_in(cache_.path());
  fill("b", options());
  fill("a", options());  // used again
  fill("c", options(2 * one + one / 2));
  fill("a", options());
  EXPECT_EQ(extracted_, 0);
  fill("b", options());
  EXPECT_EQ(extracted_, 8);
}

TEST_F(FeatureCacheTest, ADamagedEntryIsMadeAgain) {
  fill("a", options());
  for (const auto& entry : fs::recursive_directory_iterator(cache_.path()))
    if (entry.path().extension() == ".safetensors") fs::resize_file(entry.path(), 100);
  const auto store = fill("a", options());
  EXPECT_EQ(extracted_, 8);
  EXPECT_EQ(store->size(), 8u);
}

TEST_F(FeatureCacheTest, ProcessesAtOnceShareTheWork) {
  constexpr int kProcesses = 4;
  std::vector<pid_t> children;
  const fs::path tally = cache_.path() / "tally";
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = ::fork();
    if (child == 0) {
      std::vector<ItemFailure> failures;
      const auto store = FeatureCache(options()).fill(
          DatasetSource(dataset_), "a", all_items(dataset_),
          [&](size_t item) {
            std::ofstream(tally, std::ios::app) << 'x';
            ::usleep(2000);
            VectorSet set;
            set.vectors = Matrix<float>(5, 8);
            set.vectors(0, 0) = static_cast<float>(item);
            return set;
          },
          {}, failures);
      ::_exit(store && store->size() == 8 ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(fs::file_size(tally), 8u);
}

TEST_F(FeatureCacheTest, ASourceGivesTheSameSetsWithAndWithoutIt) {
  const Extraction stage{"dsift", make_dsift({}), 300};
  pictures_.put("bricks/broken.png", "no picture");
  dataset_ = open_dataset(pictures_.path());
  for (const size_t room : {size_t{1} << 30, size_t{1}}) {  // the second has none
    for (int again = 0; again < 2; ++again) {
      const CachedSource source(
          dataset_, {.memory_bytes = 0, .disk = {cache_.path() / fmt::format("{}", room), room}});
      const auto failures = source.prepare(&stage, all_items(dataset_), {});
      ASSERT_EQ(failures.size(), 1u);
      EXPECT_NE(failures[0].reason.find("broken.png"), std::string::npos);
      for (const size_t item : all_items(dataset_))
        if (item != failures[0].item) {
          EXPECT_EQ(source.load(&stage, item), DatasetSource(dataset_).load(&stage, item));
        }
    }
  }
}

}  // namespace
}  // namespace muster
