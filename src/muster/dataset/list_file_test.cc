#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "muster/dataset/dataset.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace muster {
namespace {
using testing::ElementsAre;
using testing::Field;

TEST(ListFile, LabelsCommentsAndLineEnds) {
  const TempDir dir;
  const std::string text =
      "\xEF\xBB\xBF# comment\r\n\r\nz/1.jpg\tcow, grass\r\na b.png\tgrass\n  \nc.JPG\tcow,cow";
  const Dataset data = open_dataset(dir.put("list.txt", text));
  EXPECT_THAT(data.items, ElementsAre(Field(&Item::name, "a b.png"), Field(&Item::name, "c.JPG"),
                                      Field(&Item::name, "z/1.jpg")));
  EXPECT_THAT(data.labels.class_names, ElementsAre("cow", "grass"));
  EXPECT_THAT(data.labels.of_item, ElementsAre(ElementsAre(1), ElementsAre(0), ElementsAre(0, 1)));
  EXPECT_EQ(data.items[2].path, dir / "z/1.jpg");
  EXPECT_EQ(data.root, dir.path());
}

TEST(ListFile, LabelsThatNobodyHasJudged) {
  const Dataset data = parse_list("1.jpg\tcow,?grass\n2.jpg\t? cow\n3.jpg\tgrass\n", "/r", "list");
  EXPECT_THAT(data.labels.class_names, ElementsAre("cow", "grass"));
  EXPECT_THAT(data.labels.of_item, ElementsAre(ElementsAre(0), ElementsAre(), ElementsAre(1)));
  EXPECT_THAT(data.labels.difficult, ElementsAre(ElementsAre(1), ElementsAre(0), ElementsAre()));
  EXPECT_TRUE(data.labels.multi_label);
  EXPECT_FALSE(parse_list("1.jpg\tcow\n", "/r", "list").labels.multi_label);
  EXPECT_ERROR(parse_list("1.jpg\tcow,?cow\n", "/r", "list"), kData, "line 1: a label is both");
  EXPECT_ERROR(parse_list("1.jpg\tcow,?\n", "/r", "list"), kData, "a label is empty");
}

TEST(ListFile, AFolderWithLabelsTsvIsThatList) {
  const TempDir dir;
  dir.put("labels.tsv", "images/1.jpg\ta\n");
  dir.put("images/1.jpg");
  EXPECT_THAT(open_dataset(dir.path()).items, ElementsAre(Field(&Item::name, "images/1.jpg")));
}

TEST(ListFile, BadLinesAreNamed) {
  const auto parse = [](const std::string& text) {
    return parse_list("ok.jpg\ta\n" + text, "/r", "list");
  };
  EXPECT_ERROR(parse("x.jpg"), kData, "'list', line 2: there is no tab");
  EXPECT_ERROR(parse("\n\nx.jpg a\n"), kData, "line 4");
  EXPECT_ERROR(parse("\ta"), kData, "path is missing");
  EXPECT_ERROR(parse("x.jpg\t "), kData, "label is missing");
  EXPECT_ERROR(parse("x.jpg\ta,"), kData, "label is empty");
  EXPECT_ERROR(parse("x.jpg\ta,,b"), kData, "label is empty");
  EXPECT_ERROR(parse("x.jpg\ta\tb"), kData, "more than one tab");
  EXPECT_ERROR(parse("x.gif\ta"), kData, "neither a picture");
  EXPECT_ERROR(parse("ok.jpg\tb"), kData, "already on line 1");
  EXPECT_ERROR(parse("\xff.jpg\tb"), kData, "UTF-8");
  EXPECT_ERROR(parse(std::string("x\0.jpg\tb", 8)), kData, "zero byte");
  EXPECT_ERROR(parse("x.npy\tb"), kData, "mixes");
  EXPECT_ERROR(parse_list("# nothing\n", "/r", "list"), kData, "lists nothing");
}

RC_GTEST_PROP(ListFile, AnyTextIsReadOrRefused, (std::string text)) {
  try {
    parse_list(text, "/r", "list");
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::kData);
  }
}

}  // namespace
}  // namespace muster
