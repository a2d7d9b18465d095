#include "muster/source/scratch_file.h"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "support/file_size_limit.h"
#include "support/temp_dir.h"

namespace muster {
namespace {

std::vector<std::byte> some_bytes(size_t count, int first) {
  std::vector<std::byte> out(count);
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<std::byte>(first + static_cast<int>(i));
  return out;
}

TEST(ScratchFile, GivesBackWhatItTook) {
  ScratchFile file;
  const auto first = some_bytes(1000, 1), second = some_bytes(7, 100), none = some_bytes(0, 0);
  const auto a = file.append(first), b = file.append(none), c = file.append(second);
  ASSERT_TRUE(a && b && c);
  std::vector<std::byte> back(1000);
  EXPECT_TRUE(file.read(*a, back));
  EXPECT_EQ(back, first);
  back.resize(7);
  EXPECT_TRUE(file.read(*c, back));
  EXPECT_EQ(back, second);
  EXPECT_FALSE(file.read(*c + 1, back));  // beyond its end
}

TEST(ScratchFile, HasNoNameAndDoesWithoutAFolder) {
  const char* before = std::getenv("TMPDIR");
  const std::string restored = before ? before : "";
  const TempDir folder;
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  ScratchFile file;
  EXPECT_TRUE(file.append(some_bytes(10, 1)));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  ::setenv("TMPDIR", (folder.path() / "missing").c_str(), 1);
  EXPECT_FALSE(ScratchFile().append(some_bytes(10, 1)));
  before ? ::setenv("TMPDIR", restored.c_str(), 1) : ::unsetenv("TMPDIR");
}

TEST(ScratchFile, AFullDiskIsAnAnswer) {
  ScratchFile file;
  std::optional<uint64_t> kept;
  {
    const FileSizeLimit small(4096);
    kept = file.append(some_bytes(4000, 1));
    EXPECT_FALSE(file.append(some_bytes(4000, 2)));
    EXPECT_FALSE(file.append(some_bytes(1, 3)));
  }
  ASSERT_TRUE(kept);
  std::vector<std::byte> back(4000);
  EXPECT_TRUE(file.read(*kept, back));
  EXPECT_EQ(back, some_bytes(4000, 1));
}

}  // namespace
}  // namespace muster
