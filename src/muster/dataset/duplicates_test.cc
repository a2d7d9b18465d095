#include "muster/dataset/duplicates.h"

#include <gtest/gtest.h>

#include "support/real_data.h"
#include "support/temp_dir.h"

namespace muster {
namespace {
using testing::ElementsAre;

TEST(Duplicates, WithinAndAcrossClassesAndSplits) {
  const TempDir dir;
  dir.put_all({{"train/a/1.jpg", "same"},
               {"train/a/2.jpg", "same"},
               {"train/a/3.jpg", "size"},
               {"train/b/1.jpg", "other one"},
               {"test/a/9.jpg", "other one"},
               {"test/b/1.jpg", "alone, and longer"}});
  const Dataset data = open_dataset(dir.path());
  const std::vector<DuplicateGroup> groups = find_duplicates(data);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_THAT(groups[0].items, ElementsAre(0u, 5u));
  EXPECT_TRUE(groups[0].across_classes);
  EXPECT_TRUE(groups[0].across_splits);
  EXPECT_THAT(groups[1].items, ElementsAre(2u, 3u));
  EXPECT_FALSE(groups[1].across_classes);
  EXPECT_FALSE(groups[1].across_splits);
}

TEST(Duplicates, FilesThatCannotBeReadAreLeftOut) {
  const TempDir dir;
  dir.put("here.jpg", "x");
  const Dataset data = parse_list("gone.jpg\ta\nhere.jpg\ta\n", dir.path(), "list");
  EXPECT_TRUE(find_duplicates(data).empty());
}

TEST(Duplicates, Scene15HasEighteenPairs) {
  MUSTER_NEED_DATA("scene-15");
  const Dataset data = open_dataset(data_dir() / "scene-15");
  size_t across = 0;
  const std::vector<DuplicateGroup> groups = find_duplicates(data);
  for (const DuplicateGroup& group : groups) {
    EXPECT_EQ(group.items.size(), 2u);
    across += group.across_classes;
  }
  EXPECT_EQ(groups.size(), 18u);
  EXPECT_EQ(across, 1u);
}

}  // namespace
}  // namespace muster
