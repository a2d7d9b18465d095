#include "server/studio/names.h"

#include "server/test_support.h"

namespace muster::server {
namespace {

TEST(StudioNames, ClassesAreOneFolderEach) {
  for (const char* good :
       {"cats", "two words", "<img src=x onerror=alert(1)>", "Äpfel", "a.b", "-", "a'b\"c&d"})
    EXPECT_EQ(status_of([&] { check_class_name(good); }), 0) << good;
  for (const char* bad : {"", ".", "..", ".studio", "a/b", "../a", "a\\b", "a\nb", "\x7f", " a",
                          "a ", "\xff\xfe", "train", "test", "JPEGImages", "labels.tsv"})
    EXPECT_EQ(status_of([&] { check_class_name(bad); }), 400) << bad;
  EXPECT_EQ(status_of([&] { check_class_name(std::string(101, 'a')); }, "100 bytes"), 400);
  EXPECT_EQ(status_of([&] { check_class_name(std::string("a\0b", 3)); }), 400);
}

TEST(StudioNames, PathsAreNoPlainNames) {
  for (const char* good : {"a.png", "a b.jpg", "..a", "x..png"})
    EXPECT_EQ(is_plain_name(good), good[0] != '.') << good;
  for (const char* bad : {"", ".", "..", ".hidden", "a/b", "../a.png", "/etc/passwd"})
    EXPECT_FALSE(is_plain_name(bad)) << bad;
  EXPECT_FALSE(is_plain_name(std::string("a\0b", 3)));
}

TEST(StudioNames, UploadsKeepWhatIsHarmlessInTheirNames) {
  const std::string png = "\x89PNG\r\n";
  EXPECT_EQ(picture_name("cat.png", png), "cat.png");
  EXPECT_EQ(picture_name("Cat.JPG", png), "Cat.JPG");
  EXPECT_EQ(picture_name("../../etc/passwd", png), "passwd.png");
  EXPECT_EQ(picture_name("C:\\pictures\\dog.jpeg", png), "dog.jpeg");
  EXPECT_EQ(picture_name("..", png), "picture.png");
  EXPECT_EQ(picture_name(".png", png), "png.png");
  EXPECT_EQ(picture_name("a\nb.png", png), "ab.png");
  EXPECT_EQ(picture_name("\xff.png", "\xff\xd8"), "picture.jpg");
  EXPECT_EQ(picture_name("", "P6"), "picture.ppm");
  EXPECT_EQ(picture_name("blob", "RIFF"), "blob.webp");
  EXPECT_EQ(picture_name("v1.2", "BM"), "v1.2.bmp");
  EXPECT_LE(picture_name(std::string(300, 'x') + ".png", png).size(), 104u);
  for (const char* name : {"a.png", "a.tiff", "<b>.webp"})
    EXPECT_TRUE(is_picture_name(picture_name(name, png))) << name;
}

TEST(StudioNames, ANumberGoesBeforeTheExtension) {
  EXPECT_EQ(numbered_name("a.png", 2), "a-2.png");
  EXPECT_EQ(numbered_name("folder", 3), "folder-3");
}

}  // namespace
}  // namespace muster::server
