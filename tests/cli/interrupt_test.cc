// Ctrl-C in the middle, then the same command again.
#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>

#include "run_muster.h"

namespace muster {
namespace {

class Interrupt : public CommandTest {
 protected:
  static size_t num_files(const fs::path& folder) {
    std::error_code ignored;
    size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
      count += entry.path().extension() == ".json";
    return count;
  }
};

TEST_F(Interrupt, BenchGoesOn) {
  const std::string data = pictures(4, 20), out = at("bench");
  const std::vector<std::string> command{"bench",    data,        "--methods", "bow-linear",
                                         "--set",    "words=150", "--train",   "10",
                                         "--splits", "40",        "-o",        out};
  const Ran stopped = run(command, [&](pid_t process) {
    for (int i = 0; i < 5000 && num_files(out + "/raw") == 0; ++i) ::usleep(1000);
    ::kill(process, SIGINT);
  });
  EXPECT_EQ(stopped.code, 130);
  EXPECT_THAT(stopped.err, HasSubstr("muster: interrupted"));
  expect_no_leftovers();
  const size_t done = num_files(out + "/raw");
  ASSERT_GE(done, 1u);
  ASSERT_LT(done, 40u);
  const Ran resumed = run_ok(command);
  EXPECT_THAT(resumed.err, HasSubstr("split 1 of 40 was done before"));
  EXPECT_EQ(json::parse(read_text(out + "/results.json"))["results"][0]["splits"].size(), 40u);
}

TEST_F(Interrupt, SynthGoesOn) {
  const std::vector<std::string> command{"synth", at("s"), "--classes", "4", "--per-class", "300"};
  const Ran stopped = run(command, [&](pid_t process) {
    for (int i = 0; i < 5000 && !fs::exists(at("s/bricks/0002.png")); ++i) ::usleep(1000);
    ::kill(process, SIGINT);
  });
  EXPECT_EQ(stopped.code, 130);
  expect_no_leftovers();
  EXPECT_FALSE(fs::exists(at("s/stars/0299.png")));
}

}  // namespace
}  // namespace muster
