#include "muster/dataset/dataset.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/real_data.h"
#include "support/temp_dir.h"

namespace muster {
namespace {
namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names(const Dataset& dataset) {
  std::vector<std::string> out;
  for (const Item& item : dataset.items) out.push_back(item.name);
  return out;
}

TEST(Dataset, ClassFolders) {
  const TempDir dir;
  for (const char* file : {"b b/2.JPG", "b b/10.png", "\xC3\xA4pfel/x-1-2.jpeg", "b b/.hidden.jpg",
                           ".git/x.jpg", "b b/readme.txt", "stray.jpg", "b b/sub/deep.jpg"})
    dir.put(file);
  for (const fs::path& root : {dir.path(), dir / ""}) {
    const Dataset data = open_dataset(root);
    EXPECT_THAT(names(data), ElementsAre("b b/10.png", "b b/2.JPG", "\xC3\xA4pfel/x-1-2.jpeg"));
    EXPECT_THAT(data.labels.class_names, ElementsAre("b b", "\xC3\xA4pfel"));
    EXPECT_THAT(data.labels.of_item, ElementsAre(ElementsAre(0), ElementsAre(0), ElementsAre(1)));
    EXPECT_EQ(data.items[2].group, "\xC3\xA4pfel/x");
    EXPECT_EQ(data.items[1].group, "b b/2");
    EXPECT_EQ(data.kind, ItemKind::kImages);
    EXPECT_EQ(data.items[0].part, Part::kNone);
    EXPECT_TRUE(fs::exists(data.items[0].path));
    EXPECT_EQ(data.notes.size(), 3u);
  }
}

TEST(Dataset, TrainAndTestFolders) {
  const TempDir dir;
  for (const char* file : {"train/a/1.jpg", "train/b/1.jpg", "test/a/1.jpg", "extra/a/1.jpg"})
    dir.put(file);
  const Dataset data = open_dataset(dir.path());
  EXPECT_THAT(names(data), ElementsAre("test/a/1.jpg", "train/a/1.jpg", "train/b/1.jpg"));
  EXPECT_EQ(data.items[0].part, Part::kTest);
  EXPECT_EQ(data.items[1].part, Part::kTrain);
  EXPECT_THAT(data.labels.class_names, ElementsAre("a", "b"));
  EXPECT_THAT(data.notes, ElementsAre(HasSubstr("extra")));
}

TEST(Dataset, FoldersWithoutItemsSayWhatIsExpected) {
  const TempDir dir;
  EXPECT_ERROR(open_dataset(dir.path()), kData, "expected root/class/*.jpg");
  dir.put("a/notes.txt");
  EXPECT_ERROR(open_dataset(dir.path()), kData, "holds no items");
  EXPECT_ERROR(open_dataset(dir / "none"), kData, "does not exist");
  EXPECT_ERROR(open_dataset(dir.put("one.jpg")), kData, "single item");
}

TEST(Dataset, PicturesAndVectorSetsDoNotMix) {
  const TempDir dir;
  dir.put("a/1.jpg");
  dir.put("a/2.npy");
  EXPECT_ERROR(open_dataset(dir.path()), kData, "mixes pictures and vector sets");
}

TEST(Dataset, VectorSetsInClassFolders) {
  const TempDir dir;
  for (const char* file : {"a/1.npy", "a/1.places.npy", "b/2.npz"}) dir.put(file);
  const Dataset data = open_dataset(dir.path());
  EXPECT_EQ(data.kind, ItemKind::kVectorSets);
  EXPECT_THAT(names(data), ElementsAre("a/1.npy", "b/2.npz"));
  EXPECT_TRUE(data.notes.empty());
}

TEST(Dataset, NamesThatAreNotUtf8ArePassedOver) {
  const TempDir dir;
  dir.put("a/1.jpg");
  dir.put("a/\xff.jpg");
  const Dataset data = open_dataset(dir.path());
  EXPECT_THAT(names(data), ElementsAre("a/1.jpg"));
  EXPECT_THAT(data.notes, ElementsAre(HasSubstr("a/\\xff.jpg")));
}

TEST(RealData, TheLayoutsOfTheSharedSets) {
  MUSTER_NEED_DATA("scene-15");
  EXPECT_EQ(open_dataset(data_dir() / "scene-15").items.size(), 4485u);
  if (fs::exists(data_dir() / "eth-80")) {
    const Dataset eth = open_dataset(data_dir() / "eth-80");
    std::set<std::string> groups;
    for (const Item& item : eth.items) groups.insert(item.group);
    EXPECT_EQ(eth.items.size(), 400u);
    EXPECT_EQ(groups.size(), 80u);
  }
  if (fs::exists(data_dir() / "msrc-v2")) {
    const Dataset msrc = open_dataset(data_dir() / "msrc-v2");
    EXPECT_EQ(msrc.items.size(), 591u);
    EXPECT_EQ(msrc.labels.num_classes(), 22);
    EXPECT_TRUE(fs::exists(msrc.items[0].path));
  }
}

}  // namespace
}  // namespace muster
