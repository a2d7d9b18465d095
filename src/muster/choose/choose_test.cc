#include "muster/choose/choose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "muster/core/parallel.h"
#include "muster/pipeline/choice_file.h"
#include "muster/recipe/plan.h"
#include "muster/source/cached_source.h"
#include "muster/source/input_source.h"
#include "support/datasets.h"
#include "support/expect_error.h"

namespace muster {
namespace {

// Sets in memory, of three classes in turn.
class Sets {
 public:
  explicit Sets(int count, uint64_t seed = 3) {
    labels.class_names = {"a", "b", "c"};
    for (int i = 0; i < count; ++i) {
      Rng rng = Rng(seed).derive(static_cast<uint64_t>(i));
      data.push_back(class_vectors(8 + rng.below(8), 5, i % 3, rng));
      labels.of_item.push_back({i % 3});
    }
  }
  // Labels that have nothing to do with the vectors.
  void shuffle_labels(uint64_t seed) { Rng(seed).shuffle(std::span(labels.of_item)); }

  Chosen choose(const ChooseOptions& options = {}) const {
    std::vector<SetView> views;
    for (const Matrix<float>& set : data)
      views.push_back({.vectors = set.data(), .rows = set.rows(), .dim = set.cols()});
    const CachedSource source(std::make_unique<InputSource>(Inputs(views)));
    return choose_recipe(source, all_items_of(source), labels, options, {});
  }

  std::vector<Matrix<float>> data;
  Labels labels;
};

const Choice::Tried& chosen_row(const Choice& choice) {
  return *std::ranges::find_if(choice.tried, &Choice::Tried::chosen);
}

TEST(Choose, SaysWhatWasTriedAndChoosesOneOfIt) {
  const Chosen chosen = Sets(30).choose({.seed = 9});
  const Choice& choice = chosen.choice;
  EXPECT_EQ(choice.seed, 9u);
  EXPECT_EQ(choice.folds, 5);
  ASSERT_GE(choice.tried.size(), 3u);
  EXPECT_EQ(std::ranges::count_if(choice.tried, &Choice::Tried::chosen), 1);
  EXPECT_EQ(chosen_row(choice).recipe, chosen.recipe.text());
  EXPECT_GT(*choice.estimate, 0.9);
  EXPECT_TRUE(plan_recipe(chosen.recipe).classifier);
  for (const Choice::Tried& tried : choice.tried) {
    EXPECT_GT(tried.seconds, 0);
    EXPECT_EQ(tried.items, 30u);
    EXPECT_GE(tried.repeats, 1);
  }
}

TEST(Choose, TakesTheCheapestOfEquals) {
  // All recipes tell classes this far apart; the cheapest has the fewest Gaussians.
  Sets sets(60);
  for (size_t i = 0; i < sets.data.size(); ++i)
    for (float& value : sets.data[i].values()) value += static_cast<float>(20 * (i % 3));
  const Chosen chosen = sets.choose();
  EXPECT_EQ(chosen_row(chosen.choice).score, 1);
  EXPECT_EQ(chosen_row(chosen.choice).name, chosen.choice.tried[0].name);
}

TEST(Choose, ThreadsDoNotChangeTheChoice) {
  Sets sets(24);
  sets.shuffle_labels(2);  // so that recipes differ
  std::string first;
  for (const int threads : {1, 2, 4}) {
    const ThreadLimit limit(threads);
    const Chosen chosen = sets.choose({.effort = Effort::kQuick});
    const std::string text = chosen.recipe.text() + choice_text(chosen.choice);
    if (first.empty()) first = text;
    EXPECT_EQ(text, first) << threads;
  }
}

// What can be learned from labels without meaning is nothing, and the estimate says so: neither
// more than chance, which choosing the luckiest of several recipes would say, nor less.
TEST(Choose, TheEstimateOfMeaninglessLabelsIsChance) {
  double sum = 0;
  constexpr int kDraws = 12;
  for (uint64_t seed = 0; seed < kDraws; ++seed) {
    Sets sets(36, seed);
    sets.shuffle_labels(seed + 100);
    sum += *sets.choose({.effort = Effort::kQuick, .seed = seed}).choice.estimate;
  }
  // The standard error of 12 x 36 items is 2.3 points; repeats of the folds share them.
  EXPECT_NEAR(sum / kDraws, 1.0 / 3, 0.07);
}

TEST(Choose, MoreItemsMakeFewerErrors) {
  EXPECT_DOUBLE_EQ(with_all_items(0.8, 1, 0.1), 0.8);
  EXPECT_DOUBLE_EQ(with_all_items(1.0, 0.5, 0.1), 1.0);
  EXPECT_DOUBLE_EQ(with_all_items(0.2, 0.5, 0.2), 0.2);  // nothing was learned
  EXPECT_GT(with_all_items(0.8, 0.5, 0.1), with_all_items(0.8, 0.8, 0.1));
  EXPECT_NEAR(with_all_items(0.8, 0.8, 0.0), 0.8 + 0.2 * 0.8 * (1 - std::pow(0.8, 0.4)), 1e-12);
}

// Every object has vectors of its own and a class by chance: known objects are recognised, new
// ones cannot be.
TEST(Choose, ObjectsAreNotDividedIfGroupsAreGiven) {
  Sets sets(0);
  std::vector<std::string> objects;
  for (int object = 0; object < 12; ++object) {
    Rng rng = Rng(5).derive(static_cast<uint64_t>(object));
    Matrix<float> centre(1, 5);
    for (float& value : centre.values()) value = static_cast<float>(3 * rng.normal());
    for (int view = 0; view < 4; ++view) {
      Matrix<float> set(10, 5);
      for (size_t r = 0; r < set.rows(); ++r)
        for (size_t t = 0; t < set.cols(); ++t)
          set(r, t) = centre(0, t) + static_cast<float>(0.3 * rng.normal());
      sets.data.push_back(std::move(set));
      sets.labels.of_item.push_back({object % 3});
      objects.push_back("object" + std::to_string(object));
    }
  }
  EXPECT_GT(*sets.choose({.effort = Effort::kQuick}).choice.estimate, 0.8);
  sets.labels.group_by(objects);
  EXPECT_LT(*sets.choose({.effort = Effort::kQuick}).choice.estimate, 0.65);
}

TEST(Choose, OneItemOfEachClassLeavesNothingToJudgeBy) {
  const Chosen chosen = Sets(3).choose();
  EXPECT_EQ(chosen.choice.folds, 0);
  EXPECT_FALSE(chosen.choice.estimate);
  ASSERT_EQ(chosen.choice.tried.size(), 1u);
  EXPECT_TRUE(chosen.choice.tried[0].chosen);
  EXPECT_TRUE(plan_recipe(chosen.recipe).classifier);
}

TEST(Choose, OverridesReachAllCandidatesThatHaveTheOption) {
  const Sets sets(18);
  const Chosen chosen =
      sets.choose({.effort = Effort::kQuick, .overrides = {"components=3", "C=7"}});
  for (const Choice::Tried& tried : chosen.choice.tried) {
    EXPECT_EQ(tried.C, 7);
    if (tried.recipe.find("fisher") != std::string::npos) {
      EXPECT_THAT(tried.recipe, ::testing::HasSubstr("components=3"));
    }
  }
  EXPECT_ERROR(sets.choose({.overrides = {"wrds=5"}}), kUsage, "wrds");
}

TEST(Choose, OneBranchMeansOne) {
  const Chosen chosen = Sets(18).choose({.effort = Effort::kQuick, .one_branch = true});
  for (const Choice::Tried& tried : chosen.choice.tried)
    EXPECT_EQ(parse_recipe(tried.recipe).branches.size(), 1u);
}

TEST(Choose, ManyItemsAreJudgedInRounds) {
  const Chosen chosen = Sets(450).choose({.notice = {}});
  // Those given up in the first round were judged on some of the items.
  size_t fewest = 450, most = 0;
  for (const Choice::Tried& tried : chosen.choice.tried) {
    fewest = std::min(fewest, tried.items);
    most = std::max(most, tried.items);
  }
  EXPECT_EQ(fewest, 300u);
  EXPECT_EQ(most, 450u);
  EXPECT_EQ(chosen_row(chosen.choice).items, 450u);
}

TEST(Choose, PicturesThatCannotBeReadArePassedOver) {
  const TempDir folder;
  put_pictures(folder, 2, 6, 40);
  folder.put(synth_class_names(2)[0] + "/broken.png", "no picture");
  const Dataset dataset = open_dataset(folder.path());
  const CachedSource source(dataset);
  std::vector<std::string> notices;
  const Chosen chosen = choose_recipe(
      source, all_items(dataset), dataset.labels,
      {.effort = Effort::kQuick, .notice = [&](const std::string& t) { notices.push_back(t); }},
      {});
  EXPECT_EQ(chosen_row(chosen.choice).items, 12u);
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_THAT(notices[0], ::testing::HasSubstr("recipes"));
}

}  // namespace
}  // namespace muster
