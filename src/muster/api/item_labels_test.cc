#include "muster/api/item_labels.h"

#include "support/expect_error.h"

namespace muster {
namespace {

TEST(ItemLabels, ClassesAreInByteOrder) {
  const Labels labels = make_labels(std::vector<std::string>{"dog", "Cat", "dog"}, 3);
  EXPECT_EQ(labels.class_names, (std::vector<std::string>{"Cat", "dog"}));
  EXPECT_EQ(labels.of_item, (std::vector<std::vector<int>>{{1}, {0}, {1}}));
  EXPECT_TRUE(labels.single_label());
}

TEST(ItemLabels, AnItemMayHaveAnyNumberOfLabels) {
  const Labels labels =
      make_labels(std::vector<std::vector<std::string>>{{"b", "a", "b"}, {}, {"c"}}, 3);
  EXPECT_EQ(labels.of_item, (std::vector<std::vector<int>>{{0, 1}, {}, {2}}));
  EXPECT_FALSE(labels.single_label());
}

TEST(ItemLabels, InTheModelsNumbering) {
  const Labels labels = make_labels(std::vector<std::vector<std::string>>{{"a", "b"}, {"b"}}, 2);
  const Labels other = in_model_classes(labels, {"b", "z", "a"});
  EXPECT_EQ(other.class_names.size(), 3u);
  EXPECT_EQ(other.of_item, (std::vector<std::vector<int>>{{0, 2}, {0}}));
  EXPECT_ERROR(in_model_classes(labels, {"b"}), kData, "'a'");
}

}  // namespace
}  // namespace muster
