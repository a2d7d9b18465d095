// similar as the command has it.
#include <gmock/gmock.h>

#include "run_muster.h"

namespace muster {
namespace {

class SimilarCommand : public CommandTest {};

TEST_F(SimilarCommand, FindsPicturesLikeOthers) {
  const std::string data = pictures(), picture = data + "/bricks/0000.png";
  run_ok({"train", data, "-o", at("m.muster"), "--recipe", "dsift/bow:words=20/knn", "--quiet"});
  const Ran text = run_ok({"similar", at("m.muster"), data, picture, "--top", "3"});
  EXPECT_THAT(text.out, HasSubstr("1.0000\tbricks/0000.png\tbricks"));
  const json found =
      run_ok({"similar", at("m.muster"), data, picture, "--top", "3", "--json"}).json();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["query"], picture);
  ASSERT_EQ(found[0]["similar"].size(), 3u);
  EXPECT_EQ(found[0]["similar"][0]["labels"][0], "bricks");
  EXPECT_GE(found[0]["similar"][0]["similarity"], found[0]["similar"][1]["similarity"]);
  const json measured =
      run_ok({"similar", at("m.muster"), data, "--evaluate", "--top", "2", "--json"}).json();
  EXPECT_EQ(measured["queries"], measured["items"]);
  EXPECT_GT(measured["map"], 0.2);
  EXPECT_THAT(run_ok({"similar", at("m.muster"), data, "--evaluate"}).out,
              HasSubstr("mean average precision"));
}

TEST_F(SimilarCommand, SaysWhatIsWrong) {
  const std::string data = pictures(), picture = data + "/bricks/0000.png";
  run_ok({"train", data, "-o", at("m.muster"), "--recipe", "dsift/bow:words=8/linear-svm:C=1"});
  expect_error({"similar", at("m.muster"), data}, 2, "QUERY");
  expect_error({"similar", at("m.muster"), data, picture, "--evaluate"}, 2, "--evaluate");
  expect_error({"similar", at("m.muster"), data, picture, "--top", "0"}, 2, "--top");
  expect_error({"similar", at("m.muster"), data, at("none.png")}, 3, "none.png");
  expect_error({"similar", at("m.muster"), at("nowhere"), picture}, 3, "nowhere");
  expect_error({"similar", at("none.muster"), data, picture}, 3, "none.muster");
  // One bad query does not keep the others from being answered.
  const Ran ran = run({"similar", at("m.muster"), data, at("none.png"), picture, "--json"});
  EXPECT_EQ(ran.code, 3);
  const json found = ran.json();
  EXPECT_TRUE(found[0].contains("error"));
  EXPECT_EQ(found[1]["similar"].size(), 10u);
}

}  // namespace
}  // namespace muster
