#include "muster/choose/candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "muster/choose/schedule.h"
#include "muster/recipe/plan.h"

namespace muster {
namespace {

constexpr Effort kEfforts[] = {Effort::kQuick, Effort::kNormal, Effort::kThorough};

DataLook pictures(size_t items, int side_px, bool colour) {
  DataLook out;
  out.items = items;
  out.classes = 10;
  out.side_px = side_px;
  out.colour = colour;
  return out;
}

DataLook sets(size_t items, size_t vectors, size_t dim, bool places) {
  DataLook out;
  out.kind = ItemKind::kVectorSets;
  out.items = items;
  out.classes = 10;
  out.vectors = vectors;
  out.dim = dim;
  out.places = places;
  return out;
}

std::vector<DataLook> all_looks() {
  std::vector<DataLook> out;
  for (const int side : {8, 40, 90, 160, 300})
    for (const bool colour : {false, true}) out.push_back(pictures(100, side, colour));
  for (const size_t dim : {1, 2, 26, 2000})
    for (const size_t vectors : {1, 40, 5000})
      for (const bool places : {false, true}) out.push_back(sets(100, vectors, dim, places));
  return out;
}

int components_of(const Recipe& recipe) {
  for (const StageSpec& stage : recipe.branches[0])
    for (const auto& [name, value] : stage.options)
      if (name == "components") return std::stoi(value);
  return 0;
}

TEST(Candidates, AreValidRecipesForAllData) {
  for (const DataLook& look : all_looks())
    for (const Effort effort : kEfforts)
      for (const size_t items : {2, 4, 36, 1000, 500000})
        for (const Candidate& one : propose(look, effort, items)) {
          const Plan plan = plan_recipe(one.recipe);
          ASSERT_TRUE(plan.classifier) << one.recipe.text();
          EXPECT_EQ(plan.branches.size(), one.parts.size());
          EXPECT_EQ(plan.branches[0].extractor.has_value(), look.kind == ItemKind::kImages);
          EXPECT_GT(one.cost(), 0);
        }
}

TEST(Candidates, TheNumberOfItemsChangesOnlyParameters) {
  for (const DataLook& look : all_looks())
    for (const Effort effort : kEfforts) {
      const auto few = propose(look, effort, 20), many = propose(look, effort, 2000);
      ASSERT_EQ(few.size(), many.size());
      for (size_t i = 0; i < few.size(); ++i) {
        EXPECT_EQ(few[i].parts.size(), many[i].parts.size());
        EXPECT_LE(components_of(few[i].recipe), components_of(many[i].recipe));
        EXPECT_LE(few[i].cost(), many[i].cost());
      }
    }
}

TEST(Candidates, FewPicturesGetFewGaussians) {
  for (const Candidate& one : propose(pictures(36, 160, false), Effort::kNormal, 36))
    EXPECT_LE(components_of(one.recipe), 32) << one.recipe.text();
}

TEST(Candidates, ColourIsForPicturesThatHaveIt) {
  const auto uses = [](const DataLook& look, const std::string& feature) {
    return std::ranges::any_of(propose(look, Effort::kNormal, 100), [&](const Candidate& one) {
      return one.recipe.text().find(feature) != std::string::npos;
    });
  };
  EXPECT_TRUE(uses(pictures(100, 300, true), "rgb:"));
  EXPECT_FALSE(uses(pictures(100, 300, false), "rgb:"));
  EXPECT_TRUE(uses(sets(100, 40, 26, true), "places"));
  EXPECT_FALSE(uses(sets(100, 40, 26, false), "places"));
}

TEST(Candidates, ANetworkIsJudgedIfOneIsNamed) {
  const auto with = [](const DataLook& look, Effort effort) {
    std::vector<std::string> out;
    for (const Candidate& one : propose(look, effort, 100)) {
      size_t networks = 0;
      for (const CostedBranch& part : one.parts) networks += part.recipe.starts_with("dnn");
      if (networks > 0) out.push_back(one.name);
    }
    return out;
  };
  DataLook look = pictures(100, 300, true);
  for (const Effort effort : kEfforts) EXPECT_TRUE(with(look, effort).empty());
  look.network = true;
  EXPECT_EQ(with(look, Effort::kNormal).size(), 3u);
  EXPECT_THAT(with(look, Effort::kQuick),
              testing::ElementsAre("network", testing::HasSubstr("texture and colour")));
  look.colour = false;
  EXPECT_THAT(with(look, Effort::kQuick).back(), testing::HasSubstr("gradients and texture"));
}

TEST(Schedule, MoreEffortIsMoreWorkAndTheLastRoundLeavesOne) {
  for (const size_t items : {10, 50, 150, 1000, 100000})
    for (const bool colour : {false, true}) {
      double last = 0;
      for (const Effort effort : kEfforts) {
        const DataLook look = pictures(items, 300, colour);
        const std::vector<Round> rounds = plan_rounds(look, effort, 5);
        ASSERT_FALSE(rounds.empty());
        for (const Round& round : rounds) EXPECT_LE(round.items, items);
        EXPECT_EQ(rounds.back().keep, 1u);
        const double seconds = forecast_seconds(look, effort, rounds, 2);
        EXPECT_GT(seconds, last);
        last = seconds;
      }
    }
  EXPECT_TRUE(plan_rounds(pictures(10, 300, true), Effort::kNormal, 0).empty());
}

}  // namespace
}  // namespace muster
