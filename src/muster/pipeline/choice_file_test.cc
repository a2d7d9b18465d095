#include "muster/pipeline/choice_file.h"

#include "support/expect_error.h"

namespace muster {
namespace {

TEST(ChoiceFile, AChoiceComesBackWithoutItsTimes) {
  Choice choice;
  choice.effort = Effort::kThorough;
  choice.seed = 18446744073709551615U;
  choice.folds = 7;
  choice.tried = {{"first", "bow/linear-svm:C=1", 1, 0.5, 0.125, 40, 3, 2.5, false},
                  {"second", "vlad/linear-svm:C=10", 10, 0.75, 0.0625, 90, 2, 1.5, true}};
  choice.estimate = 0.625;
  choice.error = 0.03125;
  const Choice again = parse_choice(choice_text(choice), "model");
  EXPECT_EQ(again.effort, Effort::kThorough);
  EXPECT_EQ(again.seed, choice.seed);
  EXPECT_EQ(again.folds, 7);
  EXPECT_EQ(again.estimate, 0.625);
  EXPECT_EQ(again.error, 0.03125);
  ASSERT_EQ(again.tried.size(), 2u);
  EXPECT_EQ(again.tried[1].name, "second");
  EXPECT_EQ(again.tried[1].recipe, "vlad/linear-svm:C=10");
  EXPECT_EQ(again.tried[1].C, 10);
  EXPECT_EQ(again.tried[1].score, 0.75);
  EXPECT_EQ(again.tried[1].error, 0.0625);
  EXPECT_EQ(again.tried[1].items, 90u);
  EXPECT_EQ(again.tried[1].repeats, 2);
  EXPECT_TRUE(again.tried[1].chosen);
  EXPECT_EQ(again.tried[1].seconds, 0);
  EXPECT_EQ(choice_text(again), choice_text(choice));
}

TEST(ChoiceFile, DamagedTextIsADataErrorThatNamesTheFile) {
  const std::string good = choice_text({});
  for (const std::string& text :
       {std::string("{"), std::string("[]"), std::string("{}"), std::string("{\"effort\": 3}"),
        good.substr(0, good.size() - 1),
        std::string(R"({"effort":"huge","seed":1,"folds":0,"tried":[]})"),
        std::string(R"({"effort":"quick","seed":1,"folds":0,"tried":[3]})")})
    EXPECT_ERROR(parse_choice(text, "model.muster"), kData, "model.muster");
}

}  // namespace
}  // namespace muster
