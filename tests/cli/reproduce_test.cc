// The papers' experiments on tiny data of the right layout: killed and started again, two at once,
// data that are not there.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "run_muster.h"

namespace muster {
namespace {

class Reproduce : public CommandTest {
 protected:
  // Synthetic pictures under the name of the real set.
  std::string data() const {
    pictures(3, 8, "data");
    fs::create_directories(at("sets"));
    fs::rename(at("data"), at("sets/scene-15"));
    return at("sets");
  }
  std::vector<std::string> command(const std::string& out) const {
    return {"reproduce", "emk-small", "--quick", "--data",   at("sets"),
            "-o",        at(out),     "--cache", at("cache")};
  }
  json results(const std::string& out) const {
    return json::parse(read_text(at(out + "/results.json")));
  }
  // Figures without times.
  static json figures(const json& record) {
    json out = record["comparison"];
    for (const json& result : record["results"])
      for (const json& split : result["splits"]) out.push_back(split["predictions"]);
    return out;
  }
};

TEST_F(Reproduce, ListsWhatThereIs) {
  EXPECT_THAT(run_ok({"reproduce", "--list"}).out, HasSubstr("emk-table2"));
  const json list = run_ok({"reproduce", "--list", "--json"}).json();
  EXPECT_GE(list.size(), 23u);
}

TEST_F(Reproduce, MistakesAndMissingData) {
  fs::create_directories(at("none"));
  expect_error({"reproduce"}, 2, "--list");
  expect_error({"reproduce", "emk-tabel2", "--data", at("none")}, 2, "did you mean 'emk-table2'");
  expect_error({"reproduce", "emk-table2"}, 2, "--data");
  for (const char* name : {"gen-fig4", "ugm-fig1", "ugm-fig3", "dspm-fig4", "emk-table4"})
    expect_error({"reproduce", name, "--data", at("none")}, 3, "lay it out as DIR/");
}

TEST_F(Reproduce, KilledItGoesOnToTheSameFigures) {
  data();
  run_ok(command("whole"));
  const auto files = [&] {
    size_t count = 0;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(at("killed/runs/40-and-40/raw"), ignored))
      count += entry.path().extension() == ".json";
    return count;
  };
  const Ran killed = run(command("killed"), [&](pid_t process) {
    for (int i = 0; i < 20000 && files() == 0; ++i) ::usleep(1000);
    ::kill(process, SIGKILL);
  });
  ASSERT_NE(killed.code, 0);
  ASSERT_GE(files(), 1u);
  const Ran again = run_ok(command("killed"));
  EXPECT_THAT(again.err, HasSubstr("was done before"));
  EXPECT_EQ(figures(results("killed")), figures(results("whole")));
  const std::string page = read_text(at("killed/report.html"));
  EXPECT_THAT(page, HasSubstr("EMK section 4"));
  EXPECT_THAT(page, HasSubstr("A quick run"));
  EXPECT_THAT(page, HasSubstr("data:image/jpeg"));
}

TEST_F(Reproduce, TwoAtOnceOnOneCacheDoNoHarm) {
  data();
  std::thread other([&] { run_ok(command("a")); });
  run_ok(command("b"));
  other.join();
  EXPECT_EQ(figures(results("a")), figures(results("b")));
  size_t entries = 0;
  for (const auto& entry : fs::directory_iterator(at("cache"))) entries += entry.is_directory();
  EXPECT_EQ(entries, 1u);  // all three methods share one feature stage
}

TEST_F(Reproduce, StudiesNeedNoData) {
  const Ran ran = run_ok({"reproduce", "emk-fig1", "-o", at("fig1")});
  EXPECT_THAT(ran.out, HasSubstr("20 learned features"));
  EXPECT_THAT(read_text(at("fig1/report.html")), HasSubstr("data-chart=\"2\""));
}

TEST_F(Reproduce, BenchDrawsALearningCurve) {
  const Ran ran = run_ok({"bench", pictures(3, 10), "-m", "bow-linear", "--set", "words=20",
                          "--curve", "train=2,6", "--splits", "2", "-o", at("curve")});
  EXPECT_THAT(ran.out, HasSubstr("training items per class"));
  const json record = json::parse(read_text(at("curve/results.json")));
  EXPECT_EQ(record["curves"][0]["series"][0]["points"].size(), 2u);
  expect_error({"bench", at("pictures"), "-m", "bow-linear", "--curve", "train=2", "-o", at("c")},
               2, "two values");
  expect_error({"bench", at("pictures"), "-m", "bow-linear", "--curve", "trian=2,3", "-o", at("c")},
               2, "train");
}

}  // namespace
}  // namespace muster
