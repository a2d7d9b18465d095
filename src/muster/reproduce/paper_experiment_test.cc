#include "muster/reproduce/paper_experiment.h"

#include <gmock/gmock.h>

#include <set>

#include "support/expect_error.h"

namespace muster {
namespace {

constexpr const char* kFile = R"(
title = "Levels"
paper = "EMK table 2"
data = "caltech-101"
tolerance = 1
[protocol]
splits = 5
[sweep]
name = "L"
values = [0, 1, 2]
quick = [1]
[[part]]
name = "15"
protocol = { train = 15 }
[[method]]
name = "bow"
recipe = "dsift/bow:levels={L}/linear-svm"
paper."15" = ["37.3 ± 0.9", 41.6, "-"]
[[method]]
name = "emk"
recipe = "emk-fourier"
set = ["levels={L}"]
at = [0, 2]
[[claim]]
of = "emk"
over = "bow"
at_least = 5
)";

TEST(PaperExperiment, ReadsAFile) {
  const PaperExperiment e = parse_experiment("x", kFile);
  EXPECT_EQ(e.name, "x");
  EXPECT_EQ(e.protocol.at("splits"), "5");
  EXPECT_DOUBLE_EQ(e.tolerance, 0.01);
  ASSERT_TRUE(e.sweep);
  EXPECT_EQ(e.sweep->quick_values, std::vector<double>{1});
  EXPECT_FALSE(e.sweep->in_protocol);
  EXPECT_EQ(e.parts[0].protocol.at("train"), "15");
  const auto& figures = e.methods[0].paper.at("15");
  ASSERT_EQ(figures.size(), 3u);
  EXPECT_DOUBLE_EQ(figures[0]->value, 0.373);
  EXPECT_DOUBLE_EQ(*figures[0]->deviation, 0.009);
  EXPECT_DOUBLE_EQ(figures[1]->value, 0.416);
  EXPECT_FALSE(figures[2]);
  EXPECT_EQ(e.methods[1].at, (std::vector<double>{0, 2}));
  EXPECT_DOUBLE_EQ(e.claims[0].at_least.value(), 0.05);
}

TEST(PaperExperiment, MistakesAreNamed) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = kFile;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  EXPECT_ERROR(parse_experiment("x", "title = "), kUsage, "line 1");
  EXPECT_ERROR(parse_experiment("x", with("tolerance", "tolerence")), kUsage,
               "'tolerence' is unknown");
  EXPECT_ERROR(parse_experiment("x", with("title = \"Levels\"", "")), kUsage, "'title' is missing");
  EXPECT_ERROR(parse_experiment("x", with("\"37.3 ± 0.9\", ", "")), kUsage, "3 figures");
  EXPECT_ERROR(parse_experiment("x", with("37.3", "thirty")), kUsage, "thirty");
  EXPECT_ERROR(parse_experiment("x", with("paper.\"15\"", "paper.\"16\"")), kUsage, "'16'");
  EXPECT_ERROR(parse_experiment("x", with("quick = [1]", "quick = [7]")), kUsage, "quick");
  EXPECT_ERROR(parse_experiment("x", with("at = [0, 2]", "at = [3]")), kUsage, "'at'");
  EXPECT_ERROR(parse_experiment("x", with("over = \"bow\"", "over = \"bov\"")), kUsage, "bov");
  EXPECT_ERROR(parse_experiment("x", with("data = \"caltech-101\"", "")), kUsage, "study");
  EXPECT_ERROR(parse_experiment("x", with("at_least = 5", "")), kUsage, "no figure of 'emk'");
  EXPECT_ERROR(parse_experiment("x", with("at_least = 5", "at_least = 5\nours = true")), kUsage,
               "has no bound");
  EXPECT_ERROR(parse_experiment("x", with("at_least = 5", "at_least = 5\nover_at = 1")), kUsage,
               "needs 'at'");
}

TEST(PaperExperiment, TheBuiltInOnesAreWholeAndTheirDataDescribed) {
  std::set<std::string> papers;
  for (const PaperExperiment& e : all_experiments()) {
    papers.insert(e.paper);
    EXPECT_EQ(&find_experiment(e.name), &e);
    for (const std::string& data : {e.data, e.stand_in})
      EXPECT_TRUE(data.empty() || !find_data(data).layout.empty());
  }
  for (const char* paper :
       {"EMK figure 1", "EMK figure 2, left", "EMK figure 2, centre", "EMK figure 2, right",
        "EMK figure 3", "EMK table 2",        "EMK table 3",          "EMK table 4",
        "DSPM table 1", "DSPM figure 2",      "DSPM figure 4",        "GEN figure 4",
        "GEN figure 5", "GEN figure 7",       "PMK figure 3",         "PMK figure 4",
        "PMK figure 5", "PMK section 4.2",    "UGM figure 1",         "UGM figure 2",
        "UGM figure 3", "UGM section 4.2.3",  "UGM section 4.2.4"})
    EXPECT_TRUE(papers.contains(paper)) << paper;
  EXPECT_ERROR(find_experiment("emk-tabel2"), kUsage, "emk-table2");
}

}  // namespace
}  // namespace muster
