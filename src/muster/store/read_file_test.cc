#include "muster/store/read_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace muster {
namespace {

TEST(ReadFile, GivesTheBytesOfRegularFilesOnly) {
  const TempDir dir;
  EXPECT_EQ(read_file(dir.put("a", "abc")).size(), 3u);
  EXPECT_TRUE(read_file(dir.put("empty")).empty());
  EXPECT_ERROR(read_file(dir / "none"), kData, "cannot read");
  EXPECT_ERROR(read_file(dir.path()), kData, "not a regular file");
  EXPECT_ERROR(read_file("/dev/zero"), kData, "not a regular file");
  const auto pipe = dir / "pipe";  // nobody writes to it: reading would wait for ever
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_ERROR(read_file(pipe), kData, "not a regular file");
}

TEST(ReadFile, RefusesALargeFileBeforeItIsRead) {
  const TempDir dir;
  const auto file = dir.put("big");
  std::filesystem::resize_file(file, 5'000'000'000'000);  // takes no room on the disk
  EXPECT_ERROR(read_file(file, 1000), kData, "5000000000000 bytes");
}

}  // namespace
}  // namespace muster
