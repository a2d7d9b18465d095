#include "muster/store/atomic_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/expect_error.h"
#include "support/file_size_limit.h"
#include "support/temp_dir.h"

namespace muster {
namespace {
namespace fs = std::filesystem;

size_t count_entries(const fs::path& directory) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(directory), {}));
}

TEST(AtomicFile, ReplacesTheOldFileAndLeavesNothingElse) {
  const TempDir dir;
  const fs::path target = dir.put("a.txt", "old");
  write_file_atomically(target, "new");
  EXPECT_EQ(read_whole_file(target), "new");
  EXPECT_EQ(count_entries(dir.path()), 1u);
}

TEST(AtomicFile, KeepsThePermissionsOfWhatItReplaces) {
  const TempDir dir;
  const fs::path target = dir.put("a.txt", "old");
  fs::permissions(target, fs::perms{0600});
  write_file_atomically(target, "new");
  EXPECT_EQ(fs::status(target).permissions(), fs::perms{0600});
}

TEST(AtomicFile, TheTargetAppearsOnlyWithCommit) {
  const TempDir dir;
  AtomicFile file(dir / "a.txt");
  file.write("one ");
  file.write("two");
  EXPECT_FALSE(fs::exists(dir / "a.txt"));
  file.commit();
  EXPECT_EQ(read_whole_file(dir / "a.txt"), "one two");
}

TEST(AtomicFile, WithoutCommitTheOldFileStays) {
  const TempDir dir;
  const fs::path target = dir.put("a.txt", "old");
  { AtomicFile(target).write("half"); }
  EXPECT_EQ(read_whole_file(target), "old");
  EXPECT_EQ(count_entries(dir.path()), 1u);
}

TEST(AtomicFile, TwoWritersInOneFolderDoNotMeet) {
  const TempDir dir;
  AtomicFile a(dir / "same"), b(dir / "same");
  a.write("a");
  b.write("b");
  a.commit();
  b.commit();
  EXPECT_EQ(read_whole_file(dir / "same"), "b");
}

TEST(AtomicFile, AFullDiskLeavesTheOldFile) {
  const TempDir dir;
  const fs::path target = dir.put("a.bin", "old");
  const std::string big(1 << 20, 'x');
  {
    const FileSizeLimit limit(100'000);
    EXPECT_ERROR(write_file_atomically(target, big), kRuntime, "a.bin");
  }
  EXPECT_EQ(read_whole_file(target), "old");
  EXPECT_EQ(count_entries(dir.path()), 1u);
}

TEST(AtomicFile, AFullDeviceIsSaidAsSuch) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_ERROR(write_file_atomically("/dev/full", "x"), kRuntime, "No space left");
}

TEST(AtomicFile, ADeviceIsWrittenNotReplaced) {
  write_file_atomically("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(AtomicFile, ALinkIsFollowed) {
  const TempDir dir;
  const fs::path real = dir.put("real", "old");
  fs::create_symlink(real, dir / "link");
  write_file_atomically(dir / "link", "new");
  EXPECT_TRUE(fs::is_symlink(dir / "link"));
  EXPECT_EQ(read_whole_file(real), "new");
}

TEST(AtomicFile, SaysWhatIsWrongWithTheTarget) {
  const TempDir dir;
  EXPECT_ERROR(write_file_atomically(dir.path(), "x"), kRuntime, "is a directory");
  EXPECT_ERROR(write_file_atomically(dir / "no" / "such" / "a", "x"), kRuntime, "create it first");
  dir.put("file");
  EXPECT_ERROR(write_file_atomically(dir / "file" / "a", "x"), kRuntime, "Not a directory");
}

TEST(AtomicFile, AnUnwritableFolderIsRefused) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const TempDir dir;
  ::chmod(dir.path().c_str(), 0500);
  EXPECT_ERROR(write_file_atomically(dir / "a", "x"), kRuntime, "may write to");
  ::chmod(dir.path().c_str(), 0700);
}

}  // namespace
}  // namespace muster
