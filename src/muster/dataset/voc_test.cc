#include "muster/dataset/voc.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace muster {
namespace {
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

TEST(Voc, ClassListsGiveLabelsAndDifficult) {
  const TempDir dir;
  for (const char* id : {"001", "002", "003", "004"}) dir.put(fmt::format("JPEGImages/{}.jpg", id));
  dir.put_all({{"ImageSets/Main/cat_trainval.txt", "001  1\n002 -1\n"},
               {"ImageSets/Main/dog_trainval.txt", "001  0\r\n002 -1\r\n"},
               {"ImageSets/Main/cat_test.txt", "003 1\n999 1\n"},
               {"ImageSets/Main/dog_test.txt", "003 1\n999 -1\n"},
               {"ImageSets/Main/trainval.txt", "001\n002\n"}});
  const Dataset data = open_dataset(dir.path());
  EXPECT_THAT(data.items, ElementsAre(Field(&Item::name, "JPEGImages/001.jpg"),
                                      Field(&Item::name, "JPEGImages/002.jpg"),
                                      Field(&Item::name, "JPEGImages/003.jpg")));
  EXPECT_THAT(data.labels.class_names, ElementsAre("cat", "dog"));
  EXPECT_THAT(data.labels.of_item, ElementsAre(ElementsAre(0), ElementsAre(), ElementsAre(0, 1)));
  EXPECT_THAT(data.labels.difficult, ElementsAre(ElementsAre(1), ElementsAre(), ElementsAre()));
  EXPECT_EQ(data.labels.target(0, 1), 0);
  EXPECT_EQ(data.items[0].part, Part::kTrain);
  EXPECT_EQ(data.items[2].part, Part::kTest);
  EXPECT_THAT(data.notes, ElementsAre(HasSubstr("999"), HasSubstr("004.jpg")));
}

// VOC 2006: PNGImages, and the lists of classes right in ImageSets.
TEST(Voc, TheFolderOf2006) {
  const TempDir dir;
  for (const char* id : {"000001", "000002", "000003"})
    dir.put(fmt::format("PNGImages/{}.png", id));
  dir.put_all({{"ImageSets/bicycle_trainval.txt", "000001 1\n000002 0\n"},
               {"ImageSets/cat_trainval.txt", "000001 -1\n000002 1\n"},
               {"ImageSets/bicycle_test.txt", "000003 -1\n"},
               {"ImageSets/cat_test.txt", "000003 1\n"},
               {"Annotations/000001.txt", "# PASCAL Annotation Version 1.00"}});
  const Dataset data = open_dataset(dir.path());
  EXPECT_THAT(data.labels.class_names, ElementsAre("bicycle", "cat"));
  EXPECT_THAT(data.labels.of_item, ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(1)));
  EXPECT_EQ(data.labels.target(1, 0), 0);
  EXPECT_EQ(data.items[2].part, Part::kTest);
  EXPECT_FALSE(data.labels.single_label()) << "one label each, but by chance";
}

constexpr const char* kAnnotation = R"(<?xml version="1.0"?>
<!-- <object> --> <annotation><folder>VOC</folder><filename/>
  <object><name> dog </name><pose a="b">x</pose><difficult>1</difficult>
    <part><name>head</name></part></object>
  <object><part><name>tail</name></part><name>dog</name><difficult>0</difficult></object>
  <object><name>cat</name><difficult>1</difficult></object>
</annotation>)";

TEST(Voc, AnnotationsGiveLabelsWhereThereAreNoClassLists) {
  const TempDir dir;
  dir.put("JPEGImages/1.jpg");
  dir.put("JPEGImages/2.jpg");
  dir.put("Annotations/1.xml", kAnnotation);
  dir.put_all({{"Annotations/2.xml", "<annotation><object><name>cat</name></object></annotation>"},
               {"ImageSets/Main/train.txt", "1\n"},
               {"ImageSets/Main/test.txt", "2\n"}});
  const Dataset data = open_dataset(dir.path());
  EXPECT_THAT(data.labels.class_names, ElementsAre("cat", "dog"));
  EXPECT_THAT(data.labels.of_item, ElementsAre(ElementsAre(1), ElementsAre(0)));
  EXPECT_THAT(data.labels.difficult, ElementsAre(ElementsAre(0), ElementsAre()));
  EXPECT_EQ(data.items[1].part, Part::kTest);
}

TEST(Voc, BadListsAndAnnotationsAreRefused) {
  const TempDir dir;
  dir.put("JPEGImages/1.jpg");
  EXPECT_ERROR(open_dataset(dir.path()), kData, "neither ImageSets");
  dir.put("ImageSets/Main/cat_train.txt", "1 1\n1 2\n");
  EXPECT_ERROR(open_dataset(dir.path()), kData, "line 2");
  dir.put_all(
      {{"ImageSets/Main/cat_train.txt", "1 1\n"}, {"ImageSets/Main/cat_test.txt", "1 1\n"}});
  EXPECT_ERROR(open_dataset(dir.path()), kData, "in the training and in the test lists");
  dir.put_all({{"ImageSets/Main/cat_train.txt", "7 1\n"}, {"ImageSets/Main/cat_test.txt", ""}});
  EXPECT_ERROR(open_dataset(dir.path()), kData, "none of its 1");
  const std::string whole = kAnnotation;
  for (size_t n = whole.find("<annotation>") + 12; n < whole.size() - 1; ++n)
    EXPECT_ERROR(parse_voc_annotation(whole.substr(0, n), "a.xml"), kData, "a.xml");
  EXPECT_ERROR(parse_voc_annotation("<annotation><object></object></annotation>", "a"), kData,
               "no name");
}

}  // namespace
}  // namespace muster
