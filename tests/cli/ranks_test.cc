// The same commands over several ranks: the same bytes, one message, one exit code.
#include <signal.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "run_muster.h"

namespace muster {
namespace {

class RanksTest : public CommandTest {
 protected:
  void SetUp() override {
#ifdef MUSTER_SANITIZED
    GTEST_SKIP() << "sanitizers complain of Open MPI";
#endif
    if (std::string(MUSTER_MPIRUN_FILE).empty())
      GTEST_SKIP() << "Open MPI is missing (scripts/packages mpi)";
  }
  Ran run_ranks_ok(int ranks, const std::vector<std::string>& arguments) const {
    Ran ran = run_ranks(ranks, arguments);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran;
  }
  // The same arguments with another file to write give the same bytes and say the same.
  void expect_same(int ranks, std::vector<std::string> arguments, const std::string& suffix) const {
    arguments.insert(arguments.end(), {"-o", at("out" + suffix)});
    const std::string alone = (run_ok(arguments), read_text(at("out" + suffix)));
    fs::rename(at("out" + suffix), at("alone" + suffix));
    run_ranks_ok(ranks, arguments);
    EXPECT_FALSE(alone.empty());
    EXPECT_TRUE(read_text(at("out" + suffix)) == alone) << "on " << ranks << " ranks";
    expect_no_leftovers();
  }
};

struct SmallMethod {
  int ranks;
  const char* name;
  std::vector<std::string> settings;
};
void PrintTo(const SmallMethod& method, std::ostream* out) { *out << method.name; }

class MethodOverRanks : public RanksTest, public testing::WithParamInterface<SmallMethod> {};

TEST_P(MethodOverRanks, GivesTheSameModel) {
  std::vector<std::string> arguments{"train", pictures(3, 7), "--method", GetParam().name,
                                     "--quiet"};
  for (const std::string& setting : GetParam().settings)
    arguments.insert(arguments.end(), {"--set", setting});
  expect_same(GetParam().ranks, arguments, ".muster");
}

INSTANTIATE_TEST_SUITE_P(
    Small, MethodOverRanks,
    testing::Values(SmallMethod{2, "fisher", {"components=8", "samples=4000"}},
                    SmallMethod{3, "fusion", {"fisher.samples=4000"}},
                    SmallMethod{4, "bow-linear", {"words=40"}},
                    SmallMethod{1, "emk-fourier", {"emk-fourier.dim=60"}},
                    SmallMethod{2, "emk-cksvd", {"emk-cksvd.dim=30", "samples=2000"}},
                    SmallMethod{3, "spm", {"words=40"}}, SmallMethod{4, "pmk", {}},
                    SmallMethod{2, "ugm-klk", {"components=8", "samples=4000"}},
                    SmallMethod{3, "gen-gmm", {}}),
    [](const auto& info) {
      std::string name = info.param.name;
      std::ranges::replace(name, '-', '_');
      return name;
    });

TEST_F(RanksTest, AutoChoosesTheSameOnAnyNumberOfRanks) {
  expect_same(2, {"train", clouds(12), "--effort", "quick", "--quiet"}, ".muster");
}

TEST_F(RanksTest, EvaluateSaysTheSame) {
  const std::string data = pictures(), trained = model();
  const Ran alone = run_ok({"evaluate", trained, data, "--json", "--cache", "none"});
  EXPECT_EQ(run_ranks_ok(1, {"evaluate", trained, data, "--json", "--cache", "none"}).out,
            alone.out);
  EXPECT_EQ(run_ranks_ok(2, {"evaluate", trained, data, "--json", "--cache", "none"}).out,
            alone.out);
  EXPECT_EQ(run_ranks_ok(2, {"evaluate", trained, data, "--json", "--cache", at("cache")}).out,
            alone.out);
}

TEST_F(RanksTest, EncodeAndGramWriteTheSame) {
  const std::string sets = clouds(9) + "/circle";
  expect_same(2, {"encode", sets, "--recipe", "bow:words=10", "--quiet"}, ".npy");
  expect_same(2, {"gram", sets, "--recipe", "sum-match", "--quiet"}, ".npy");
  // In strips of a row or two.
  expect_same(3,
              {"gram", sets, "--recipe", "bow:words=10/chi2", "--memory-mib", "0.0001", "--quiet"},
              ".npy");
  expect_same(2, {"gram", sets, "--recipe", "pmk", "--quiet"}, ".txt");
}

TEST_F(RanksTest, ExtractWritesTheSameShards) {
  const std::string data = pictures(2, 5);
  write_text(data + "/class-bad/broken.png", "this is no picture");
  const std::vector<std::string> rest{"--quiet", "--set", "step=16"};
  const auto extract = [&](const std::string& out) {
    std::vector<std::string> arguments{"extract", data, "-o", at(out)};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    return arguments;
  };
  run_ok(extract("alone"));
  run_ranks_ok(3, extract("ranks"));
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(at("alone"))) {
    const fs::path twin = fs::path(at("ranks")) / entry.path().filename();
    if (!entry.is_regular_file()) continue;
    EXPECT_TRUE(read_text(entry.path()) == read_text(twin)) << twin;
    ++files;
  }
  EXPECT_GT(files, 1u);
  EXPECT_THAT(read_text(at("ranks/left_out.tsv")), HasSubstr("broken.png"));
}

TEST_F(RanksTest, BenchGivesTheSamePredictionsAndGoesOnWhereItStopped) {
  const std::string data = clouds(12);
  const auto bench = [&](const std::string& out) {
    return std::vector<std::string>{"bench",   data,    "--recipe", "bow:words=10/linear-svm",
                                    "--train", "6",     "--splits", "2",
                                    "-o",      at(out), "--json"};
  };
  const auto accuracies = [](const Ran& ran) {
    json out;
    for (const auto& split : ran.json()["results"][0]["splits"]) out.push_back(split["accuracy"]);
    return out;
  };
  const Ran alone = run_ok(bench("alone")), ranks = run_ranks_ok(2, bench("ranks"));
  EXPECT_EQ(accuracies(ranks), accuracies(alone));
  const Ran again = run_ranks_ok(2, bench("ranks"));
  EXPECT_THAT(again.err, HasSubstr("was done before"));
  EXPECT_EQ(accuracies(again), accuracies(alone));
}

TEST_F(RanksTest, MoreRanksThanItems) {
  expect_same(6, {"train", pictures(2, 2), "--recipe", "rgb/bow:words=5/linear-svm", "--quiet"},
              ".muster");
}

TEST_F(RanksTest, WhatCannotBeReadIsLeftOutOnAllRanks) {
  const std::string data = pictures(3, 6);
  write_text(fs::path(data) / fs::directory_iterator(data)->path().filename() / "zz.png", "broken");
  const std::vector<std::string> arguments{
      "train", data, "--recipe", "rgb/bow:words=5/linear-svm", "-o", at("model.muster")};
  const Ran alone = run_ok(arguments);
  const std::string bytes = read_text(at("model.muster"));
  const Ran ranks = run_ranks_ok(3, arguments);
  EXPECT_THAT(alone.err, HasSubstr("left out"));
  EXPECT_EQ(ranks.err, alone.err);
  EXPECT_EQ(ranks.out, alone.out);
  EXPECT_TRUE(read_text(at("model.muster")) == bytes);
}

TEST_F(RanksTest, AnErrorIsSaidOnce) {
  const auto expect_once = [&](const Ran& ran, int code, const std::string& part) {
    EXPECT_EQ(ran.code, code) << ran.err;
    EXPECT_EQ(ran.out, "");
    const size_t first = ran.err.find("muster: ");
    EXPECT_NE(first, std::string::npos);
    EXPECT_EQ(ran.err.find("muster: ", first + 1), std::string::npos) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(part));
  };
  expect_once(run_ranks(2, {"train", at("nothing"), "-o", at("m")}), 3, "nothing");
  expect_once(run_ranks(2, {"train", at("nothing")}), 2, "--output");
  expect_once(run_ranks(2, {"predict", at("m"), at("x.png")}), 2, "one process");
  EXPECT_FALSE(fs::exists(at("m")));
}

TEST_F(RanksTest, WhatAProgramUnderMpirunStartsCanBeAlone) {
  const std::string data = pictures(2, 3);
  const std::vector<std::string> rest{"train", data, "--recipe", "rgb/bow:words=5/linear-svm",
                                      "--quiet"};
  std::vector<std::string> arguments = rest;
  arguments.insert(arguments.end(), {"-o", at("m")});
  run_ok(arguments);
  // Each process of mpirun starts a muster of its own, which writes a model of its own.
  const Ran ran = run_mpirun({"-n", "2", "-x", "MUSTER_ALONE=1", "sh", "-c",
                              "\"$0\" \"$@\" -o " + at("m") + "$OMPI_COMM_WORLD_RANK",
                              MUSTER_BINARY, rest[0], rest[1], rest[2], rest[3], rest[4]});
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const char* rank : {"0", "1"})
    EXPECT_TRUE(read_text(at(std::string("m") + rank)) == read_text(at("m"))) << rank;
}

TEST_F(RanksTest, RanksOfOneJobAreStartedAlike) {
  const std::string data = pictures(2, 3);
  const std::vector<std::string> first{"train", data,    "--recipe", "rgb/bow:words=5/linear-svm",
                                       "-o",    at("m"), "--seed",   "1",
                                       ":",     "-n",    "1",        MUSTER_BINARY,
                                       "train", data,    "--recipe", "rgb/bow:words=5/linear-svm",
                                       "-o",    at("m"), "--seed",   "2"};
  const Ran ran = run_ranks(1, first);
  EXPECT_EQ(ran.code, 2) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("arguments"));
  EXPECT_FALSE(fs::exists(at("m")));
}

// The processes that mpirun started.
std::vector<pid_t> ranks_of(pid_t mpirun) {
  std::ifstream in("/proc/" + std::to_string(mpirun) + "/task/" + std::to_string(mpirun) +
                   "/children");
  std::vector<pid_t> out;
  for (pid_t child = 0; in >> child;) {
    std::string name;
    std::ifstream("/proc/" + std::to_string(child) + "/comm") >> name;
    if (name == "muster") out.push_back(child);
  }
  return out;
}

TEST_F(RanksTest, AKilledRankEndsTheJobAndLeavesNoModel) {
  const std::string data = pictures(3, 60);
  for (const size_t victim : {0u, 1u}) {
    bool killed = false;
    const Ran ran =
        run_ranks(2, {"train", data, "--method", "fisher", "-o", at("m")}, [&](pid_t mpirun) {
          for (int tries = 0; tries < 500 && !killed; ++tries) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            const std::vector<pid_t> ranks = ranks_of(mpirun);
            if (ranks.size() < 2) continue;
            std::this_thread::sleep_for(std::chrono::milliseconds(400));
            killed = ::kill(ranks[victim], SIGKILL) == 0;
          }
        });
    ASSERT_TRUE(killed);
    EXPECT_NE(ran.code, 0);
    EXPECT_FALSE(fs::exists(at("m")));
  }
}

}  // namespace
}  // namespace muster
