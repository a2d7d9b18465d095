#include "include_check/include_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace muster::include_check {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(IncludeCheck, TheSourcesObeyTheLayers) {
  EXPECT_THAT(violations(MUSTER_SOURCE_DIR), IsEmpty());
}

// A small tree with three layers; top sees middle, and through it bottom.
class IncludeCheckTree : public testing::Test {
 protected:
  void SetUp() override {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(testing::TempDir()) /
            ("include_check_" + std::string(test.name()) + "_" + std::to_string(getpid()));
    write("CMakeLists.txt", "foreach(folder bottom side middle\n  top)\nendforeach()\n");
    write("bottom/CMakeLists.txt", "muster_library(bottom SOURCES a.cc)\n");
    write("side/CMakeLists.txt", "muster_library(side SOURCES a.cc)\n");
    write("middle/CMakeLists.txt",
          "muster_library(middle SOURCES a.cc\n  SEES bottom LINKS fmt::fmt)\n");
    write("top/CMakeLists.txt",
          "muster_library(top SOURCES a.cc SEES middle)  # SEES side\n"
          "muster_test(top SOURCES a_test.cc LINKS muster::top)\n");
    write("top/a.cc", "#include \"muster/top/a.h\"\n#include \"muster/bottom/a.h\"\n");
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& text) {
    const fs::path path = root_ / "src" / "muster" / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  fs::path root_;
};

TEST_F(IncludeCheckTree, AcceptsWhatIsSeenThroughAnother) {
  EXPECT_THAT(violations(root_), IsEmpty());
}

TEST_F(IncludeCheckTree, CatchesAnIncludeThatPointsUp) {
  write("middle/a.h", "// text\n\n#include \"muster/top/a.h\"\n");
  EXPECT_THAT(violations(root_), ElementsAre(AllOf(HasSubstr("middle/a.h:3: includes top"),
                                                   HasSubstr("does not come before middle"))));
}

TEST_F(IncludeCheckTree, CatchesAFolderThatTheListDoesNotName) {
  write("top/a.cc", "#include <muster/side/a.h>\n");
  EXPECT_THAT(violations(root_),
              ElementsAre(AllOf(HasSubstr("top/a.cc:1: includes side"), HasSubstr("SEES"))));
}

TEST_F(IncludeCheckTree, ATestSeesWhatItLinksToo) {
  write("top/a_test.cc", "#include \"muster/side/a.h\"\n");
  EXPECT_THAT(violations(root_), ElementsAre(HasSubstr("top/a_test.cc:1: includes side")));
  write("top/CMakeLists.txt",
        "muster_library(top SOURCES a.cc SEES middle)\n"
        "muster_test(top SOURCES a_test.cc LINKS muster::top muster::side)\n");
  EXPECT_THAT(violations(root_), IsEmpty());
}

TEST_F(IncludeCheckTree, CatchesALinkThatPointsUp) {
  write("bottom/CMakeLists.txt", "muster_library(bottom SOURCES a.cc SEES top)\n");
  EXPECT_THAT(violations(root_), ElementsAre(HasSubstr("bottom/CMakeLists.txt:1: SEES top")));
}

TEST_F(IncludeCheckTree, CatchesUnknownFolders) {
  write("stray/a.h", "");
  write("top/a.cc", "#include \"muster/nowhere/a.h\"\n");
  EXPECT_THAT(violations(root_), ElementsAre(HasSubstr("stray:1: folder is not in the list"),
                                             AllOf(HasSubstr("top/a.cc:1: includes nowhere"),
                                                   HasSubstr("not a folder of"))));
}

TEST_F(IncludeCheckTree, AFolderOfInterfacesAloneIsHeldToTheOrder) {
  fs::remove(root_ / "src/muster/top/CMakeLists.txt");
  write("top/a.cc", "#include \"muster/side/a.h\"\n");
  EXPECT_THAT(violations(root_), IsEmpty());
}

}  // namespace
}  // namespace muster::include_check
