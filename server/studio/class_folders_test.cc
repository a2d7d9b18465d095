#include "server/studio/class_folders.h"

#include <sys/resource.h>

#include <csignal>

#include "muster/muster.h"
#include "server/test_support.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace muster::server {
namespace {

namespace fs = std::filesystem;

// "cats: a.png b.png | dogs:"
std::string text_of(const ClassFolders& folders) {
  std::string out;
  for (const PictureClass& one : folders.list()) {
    out += (out.empty() ? "" : " | ") + one.name + ":";
    for (const Picture& picture : one.pictures) out += " " + picture.file;
  }
  return out;
}

TEST(ClassFolders, StartsFromNothingAndKeepsOrdinaryFolders) {
  const TempDir temp;
  ClassFolders folders(temp / "new/studio");
  EXPECT_EQ(text_of(folders), "");
  folders.add_class("cats");
  folders.add_class("dogs");
  EXPECT_EQ(folders.add_picture("cats", "a.png", "one"), "a.png");
  EXPECT_EQ(folders.add_picture("cats", "a.png", "two"), "a-2.png");
  EXPECT_EQ(read_whole_file(temp / "new/studio/cats/a-2.png"), "two");
  EXPECT_EQ(folders.move_picture("cats", "a.png", "dogs"), "a.png");
  EXPECT_EQ(text_of(folders), "cats: a-2.png | dogs: a.png");
  folders.rename_class("dogs", "<b>wolves");
  EXPECT_EQ(text_of(folders), "<b>wolves: a.png | cats: a-2.png");
  EXPECT_TRUE(fs::is_empty(folders.kept("incoming")));
}

TEST(ClassFolders, WhatIsRemovedCanBeBroughtBack) {
  const TempDir temp;
  ClassFolders folders(temp.path());
  folders.add_class("cats");
  for (const char* name : {"a.png", "b.png"}) folders.add_picture("cats", name, name);
  EXPECT_EQ(folders.last_removed(), "");
  folders.remove_picture("cats", "a.png");
  folders.add_picture("cats", "a.png", "another");
  folders.remove_picture("cats", "a.png");
  folders.remove_class("cats");
  EXPECT_EQ(text_of(folders), "");
  EXPECT_EQ(folders.undo(), "cats");
  EXPECT_EQ(folders.undo(), "cats/a.png");
  EXPECT_EQ(read_whole_file(temp / "cats/a.png"), "another");
  EXPECT_EQ(folders.undo(), "cats/a.png");
  EXPECT_EQ(text_of(folders), "cats: a-2.png a.png b.png");
  EXPECT_EQ(status_of([&] { folders.undo(); }), 409);
}

TEST(ClassFolders, TwoWhoEditAtOnceLearnOfEachOther) {
  const TempDir temp;
  ClassFolders folders(temp.path());
  folders.add_class("cats");
  folders.add_class("dogs");
  folders.add_picture("cats", "a.png", "a");
  EXPECT_EQ(status_of([&] { folders.add_class("cats"); }, "already"), 409);
  EXPECT_EQ(status_of([&] { folders.rename_class("cats", "dogs"); }, "already"), 409);
  folders.move_picture("cats", "a.png", "dogs");
  EXPECT_EQ(status_of([&] { folders.move_picture("cats", "a.png", "dogs"); }, "removed"), 409);
  EXPECT_EQ(status_of([&] { folders.remove_picture("cats", "a.png"); }, "removed"), 409);
  folders.remove_class("cats");
  EXPECT_EQ(status_of([&] { folders.add_picture("cats", "a.png", "a"); }, "removed"), 409);
  EXPECT_EQ(status_of([&] { folders.rename_class("cats", "lions"); }, "removed"), 409);
  folders.add_class("cats");
  EXPECT_EQ(status_of([&] { folders.undo(); }, "again"), 409);
  EXPECT_EQ(text_of(folders), "cats: | dogs: a.png");
}

TEST(ClassFolders, NoNameLeadsOutOfTheFolder) {
  const TempDir temp;
  temp.put("secret.png", "secret");
  temp.put("studio/cats/a.png", "a");
  temp.put("studio/cats/notes.txt", "text");
  ClassFolders folders(temp / "studio");
  for (const char* name : {"..", ".", "", "../studio/cats", "/", ".studio", "cats/.."}) {
    EXPECT_EQ(status_of([&] { folders.path_of(name, "secret.png"); }), 409) << name;
    EXPECT_EQ(status_of([&] { folders.add_picture(name, "b.png", "b"); }), 409) << name;
    EXPECT_EQ(status_of([&] { folders.remove_class(name); }), 409) << name;
    EXPECT_EQ(status_of([&] { folders.move_picture("cats", "a.png", name); }), 409) << name;
  }
  for (const char* file :
       {"../secret.png", "../../secret.png", "notes.txt", "", ".", "..", "x.png"}) {
    EXPECT_EQ(status_of([&] { folders.path_of("cats", file); }), 409) << file;
    EXPECT_EQ(status_of([&] { folders.remove_picture("cats", file); }), 409) << file;
  }
  EXPECT_EQ(status_of([&] { folders.rename_class("cats", "../cats"); }), 400);
  EXPECT_EQ(status_of([&] { folders.add_class(".."); }), 400);
  EXPECT_EQ(text_of(folders), "cats: a.png");
}

TEST(ClassFolders, AFolderThatGoesAwayIsSaid) {
  const TempDir temp;
  ClassFolders folders(temp / "studio");
  folders.add_class("cats");
  fs::remove_all(temp / "studio");
  EXPECT_EQ(status_of([&] { folders.list(); }, "gone"), 410);
  EXPECT_EQ(status_of([&] { folders.add_class("dogs"); }, "gone"), 410);
  EXPECT_EQ(status_of([&] { folders.add_picture("cats", "a.png", "a"); }, "gone"), 410);
  temp.put("studio/birds/a.png", "a");  // put back by hand
  EXPECT_EQ(text_of(folders), "birds: a.png");
  folders.add_picture("birds", "b.png", "b");
  folders.remove_picture("birds", "a.png");
  EXPECT_EQ(text_of(folders), "birds: b.png");
}

TEST(ClassFolders, ADiskThatTakesNoMoreLeavesNothingHalfWritten) {
  const TempDir temp;
  ClassFolders folders(temp.path());
  folders.add_class("cats");
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 100;
  ::setrlimit(RLIMIT_FSIZE, &small);
  const int status =
      status_of([&] { folders.add_picture("cats", "a.png", std::string(1000, 'x')); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old);
  EXPECT_EQ(status, 500);
  EXPECT_EQ(text_of(folders), "cats:");
  EXPECT_TRUE(fs::is_empty(folders.kept("incoming")));
}

TEST(ClassFolders, RefusesWhatItCannotKeep) {
  const TempDir temp;
  temp.put("file", "x");
  EXPECT_ERROR(ClassFolders(temp / "file"), kData, "not a folder");
  temp.put("list/labels.tsv", "");
  EXPECT_ERROR(ClassFolders(temp / "list"), kData, "labels.tsv");
  temp.put("divided/train/a/1.png", "");
  temp.put("divided/test/a/1.png", "");
  EXPECT_ERROR(ClassFolders(temp / "divided"), kData, "train/ and test/");
  EXPECT_FALSE(fs::exists(temp / "divided/.studio"));
  const ClassFolders first(temp / "studio");
  EXPECT_ERROR(ClassFolders(temp / "studio"), kRuntime, "another studio");
  EXPECT_ERROR(ClassFolders("/proc/studio"), kRuntime, "cannot be written");
}

TEST(ClassFolders, AnUploadThatWasCutOffIsCleared) {
  const TempDir temp;
  temp.put(".studio/incoming/picture", "half");
  const ClassFolders folders(temp.path());
  EXPECT_TRUE(fs::is_empty(folders.kept("incoming")));
}

}  // namespace
}  // namespace muster::server
