// The table of exit codes in docs/commands.md, line by line.
#include <fcntl.h>
#include <unistd.h>

#include <regex>
#include <sstream>

#include "run_muster.h"

namespace muster {
namespace {

class ExitCodes : public CommandTest {};

TEST_F(ExitCodes, AreThoseOfTheTable) {
  pictures(2, 4, "photos");
  run_ok({"train", at("photos"), "-o", at("photos.muster"), "--method", "bow-linear", "--set",
          "words=20"});
  fs::copy(at("photos"), at("photos-and-junk"), fs::copy_options::recursive);
  write_text(at("photos-and-junk/bricks/junk.png"), "no picture");
  write_text(at("junk.png"), "no picture");
  fs::copy(at("photos/bricks/0000.png"), at("new.png"));
  fs::create_directories(at("empty"));
  fs::create_directories(at("no-test-part/test"));
  fs::copy(at("photos"), at("no-test-part/train"), fs::copy_options::recursive);

  const std::regex row(R"(\| `muster ?([^`]*)` \| .* \| (\d+) \|)");
  std::istringstream lines(read_text(fs::path(MUSTER_SOURCE_DIR) / "docs/commands.md"));
  size_t rows = 0;
  for (std::string line; std::getline(lines, line);) {
    std::smatch parts;
    if (!std::regex_match(line, parts, row)) continue;
    ++rows;
    std::istringstream words(parts[1].str());
    std::vector<std::string> arguments;
    std::string out;
    for (std::string word; words >> word;)
      word.starts_with('>') ? out = word.substr(1) : (arguments.push_back(word), word);
    const Ran ran = run_prepared(arguments, [&] {
      if (!out.empty()) ::dup2(::open(out.c_str(), O_WRONLY), STDOUT_FILENO);
      if (::chdir(folder_.c_str()) != 0) ::_exit(126);
    });
    EXPECT_EQ(ran.code, std::stoi(parts[2].str())) << line << "\n" << ran.err;
    expect_no_leftovers();
  }
  EXPECT_GE(rows, 16u);
}

}  // namespace
}  // namespace muster
