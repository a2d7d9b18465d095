#include "muster/dataset/dataset.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "muster/dataset/voc.h"
#include "muster/store/npy.h"
#include "muster/store/npz.h"
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
  EXPECT_ERROR(open_dataset(dir / "none"), kData, "there is no");
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

TEST(ListFile, LabelsCommentsAndLineEnds) {
  const TempDir dir;
  const std::string text =
      "\xEF\xBB\xBF# comment\r\n\r\nz/1.jpg\tcow, grass\r\na b.png\tgrass\n  \nc.JPG\tcow,cow";
  const Dataset data = open_dataset(dir.put("list.txt", text));
  EXPECT_THAT(names(data), ElementsAre("a b.png", "c.JPG", "z/1.jpg"));
  EXPECT_THAT(data.labels.class_names, ElementsAre("cow", "grass"));
  EXPECT_THAT(data.labels.of_item, ElementsAre(ElementsAre(1), ElementsAre(0), ElementsAre(0, 1)));
  EXPECT_EQ(data.items[2].path, dir / "z/1.jpg");
  EXPECT_EQ(data.root, dir.path());
}

TEST(ListFile, AFolderWithLabelsTsvIsThatList) {
  const TempDir dir;
  dir.put("labels.tsv", "images/1.jpg\ta\n");
  dir.put("images/1.jpg");
  EXPECT_THAT(names(open_dataset(dir.path())), ElementsAre("images/1.jpg"));
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

TEST(Voc, ClassListsGiveLabelsAndDifficult) {
  const TempDir dir;
  for (const char* id : {"001", "002", "003", "004"}) dir.put(fmt::format("JPEGImages/{}.jpg", id));
  dir.put("ImageSets/Main/cat_trainval.txt", "001  1\n002 -1\n");
  dir.put("ImageSets/Main/dog_trainval.txt", "001  0\r\n002 -1\r\n");
  dir.put("ImageSets/Main/cat_test.txt", "003 1\n999 1\n");
  dir.put("ImageSets/Main/dog_test.txt", "003 1\n999 -1\n");
  dir.put("ImageSets/Main/trainval.txt", "001\n002\n");
  const Dataset data = open_dataset(dir.path());
  EXPECT_THAT(names(data),
              ElementsAre("JPEGImages/001.jpg", "JPEGImages/002.jpg", "JPEGImages/003.jpg"));
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
  dir.put("ImageSets/bicycle_trainval.txt", "000001 1\n000002 0\n");
  dir.put("ImageSets/cat_trainval.txt", "000001 -1\n000002 1\n");
  dir.put("ImageSets/bicycle_test.txt", "000003 -1\n");
  dir.put("ImageSets/cat_test.txt", "000003 1\n");
  dir.put("Annotations/000001.txt", "# PASCAL Annotation Version 1.00");
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
  dir.put("Annotations/2.xml", "<annotation><object><name>cat</name></object></annotation>");
  dir.put("ImageSets/Main/train.txt", "1\n");
  dir.put("ImageSets/Main/test.txt", "2\n");
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
  dir.put("ImageSets/Main/cat_train.txt", "1 1\n");
  dir.put("ImageSets/Main/cat_test.txt", "1 1\n");
  EXPECT_ERROR(open_dataset(dir.path()), kData, "in the training and in the test lists");
  dir.put("ImageSets/Main/cat_train.txt", "7 1\n");
  dir.put("ImageSets/Main/cat_test.txt", "");
  EXPECT_ERROR(open_dataset(dir.path()), kData, "none of its 1");
  const std::string whole = kAnnotation;
  for (size_t n = whole.find("<annotation>") + 12; n < whole.size() - 1; ++n)
    EXPECT_ERROR(parse_voc_annotation(whole.substr(0, n), "a.xml"), kData, "a.xml");
  EXPECT_ERROR(parse_voc_annotation("<annotation><object></object></annotation>", "a"), kData,
               "no name");
}

TEST(VectorSets, LoadsNpyWithPlaces) {
  const TempDir dir;
  Matrix<double> vectors(2, 4);
  vectors(1, 3) = 0.5;
  write_npy(dir / "a.npy", vectors);
  EXPECT_FALSE(load_vector_set(dir / "a.npy").has_places());
  Matrix<float> places(2, 2);
  places(1, 0) = 0.25f;
  write_npy(dir / "a.places.npy", places);
  const VectorSet set = load_vector_set(dir / "a.npy");
  EXPECT_EQ(set.vectors(1, 3), 0.5f);
  ASSERT_TRUE(set.has_places());
  EXPECT_EQ(set.places(1, 0), 0.25f);
  EXPECT_EQ(set.places(1, 2), 0.0f);
}

TEST(VectorSets, LoadsNpzWithPlaces) {
  const TempDir dir;
  Matrix<float> vectors(2, 4), places(2, 3);
  places(0, 2) = 1;
  write_npz(dir / "a.npz",
            {{"places", npy_bytes<float>(places)}, {"x", npy_bytes<float>(vectors)}});
  const VectorSet set = load_vector_set(dir / "a.npz");
  EXPECT_EQ(set.vectors, vectors);
  EXPECT_EQ(set.places, places);
  write_npz(dir / "b.npz", {{"places", npy_bytes<float>(places)}});
  EXPECT_ERROR(load_vector_set(dir / "b.npz"), kData, "no array of vectors");
}

TEST(VectorSets, BadSetsAreRefused) {
  const TempDir dir;
  Matrix<float> bad(1, 2);
  bad(0, 1) = std::nanf("");
  write_npy(dir / "nan.npy", bad);
  EXPECT_ERROR(load_vector_set(dir / "nan.npy"), kData, "NaN");
  write_npy(dir / "wide.npy", Matrix<float>(3, 0));
  EXPECT_ERROR(load_vector_set(dir / "wide.npy"), kData, "no components");
  EXPECT_ERROR(load_vector_set(dir.put("text.npy", "hello")), kData, "not a NumPy array");
  EXPECT_ERROR(load_vector_set(dir.put("a.jpg")), kData, "not a vector set");
  write_npy(dir / "p.npy", Matrix<float>(3, 2));
  write_npy(dir / "p.places.npy", Matrix<float>(2, 2));
  EXPECT_ERROR(load_vector_set(dir / "p.npy"), kData, "expected 3 x 2");
  Matrix<float> outside(3, 2);
  outside(2, 1) = 1.5f;
  write_npy(dir / "p.places.npy", outside);
  EXPECT_ERROR(load_vector_set(dir / "p.npy"), kData, "place 2 has y = 1.5");
}

TEST(VectorSets, AFolderOfSetsIsListedInOrder) {
  const TempDir dir;
  EXPECT_ERROR(list_sets(dir.path()), kData, "holds no .npy");
  for (const char* file :
       {"10.npy", "2.npy", "2.places.npy", "a.npz", "x.txt", ".b.npy", "sub.npy/1.npy"})
    dir.put(file);
  EXPECT_THAT(list_sets(dir.path()), ElementsAre(dir / "10.npy", dir / "2.npy", dir / "a.npz"));
  EXPECT_ERROR(list_sets(dir / "none"), kData, "there is no folder");
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
