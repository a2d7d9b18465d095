#include "muster/recipe/recipe.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "muster/core/error.h"

namespace muster {
namespace {

TEST(Recipe, StagesOptionsAndLists) {
  const Recipe recipe = parse_recipe("dsift:step=8,size=16,24,32/bow:words=500/linear-svm");
  ASSERT_EQ(recipe.branches.size(), 1u);
  ASSERT_EQ(recipe.branches[0].size(), 3u);
  EXPECT_EQ(recipe.branches[0][0].options[1],
            (std::pair<std::string, std::string>{"size", "16,24,32"}));
  EXPECT_EQ(recipe.text(), "dsift:step=8,size=16,24,32/bow:words=500/linear-svm");
}

TEST(Recipe, Branches) {
  const Recipe recipe = parse_recipe("dsift/bow+rgb/bow//linear-svm:C=2");
  EXPECT_EQ(recipe.branches.size(), 2u);
  EXPECT_EQ(recipe.joined.size(), 1u);
  EXPECT_EQ(recipe.text(), "dsift/bow+rgb/bow//linear-svm:C=2");
  EXPECT_EQ(parse_recipe("dsift/bow//linear-svm").text(), "dsift/bow/linear-svm");
}

TEST(Recipe, MistakesAreUsageErrors) {
  for (const char* text :
       {"", "/", "a/", "/a", "a//", "a+b", "a//b//c", "a:", "a:b", "a:=1", "a:b=", "a:b=1,b=2",
        "a b", "a:b=1 2", "a:b=$x", "a++b//c", "a:b=1,,2", "ä", "a:b=c=d"})
    EXPECT_THROW(parse_recipe(text), Error) << text;
}

const auto kName =
    rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::string("abz09-_"))));
const auto kValue =
    rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::string("aZ0.-_"))));

std::vector<StageSpec> arbitrary_stages(const std::string& what) {
  std::vector<StageSpec> stages;
  const int count = *rc::gen::inRange(1, 4).as(what);
  for (int s = 0; s < count; ++s) {
    StageSpec stage{*kName, {}};
    const int options = *rc::gen::inRange(0, 4);
    for (int o = 0; o < options; ++o) {
      std::string value = *kValue;
      for (int more = *rc::gen::inRange(0, 3); more > 0; --more) value += "," + *kValue;
      stage.options.emplace_back(std::to_string(o) + *kName, value);
    }
    stages.push_back(stage);
  }
  return stages;
}

RC_GTEST_PROP(Recipe, TextReadsBackAsTheSameRecipe, ()) {
  Recipe recipe;
  const int branches = *rc::gen::inRange(1, 4);
  for (int b = 0; b < branches; ++b) recipe.branches.push_back(arbitrary_stages("branch"));
  if (branches > 1) recipe.joined = arbitrary_stages("joined");
  RC_ASSERT(parse_recipe(recipe.text()) == recipe);
}

}  // namespace
}  // namespace muster
