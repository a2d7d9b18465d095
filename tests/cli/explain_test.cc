// explain as the command has it.
#include <gmock/gmock.h>

#include "muster/image/decode.h"
#include "muster/store/npy.h"
#include "run_muster.h"

namespace muster {
namespace {

class ExplainCommand : public CommandTest {
 protected:
  std::string train(const std::string& data, const std::string& name,
                    const std::string& recipe) const {
    run_ok({"train", data, "-o", at(name), "--recipe", recipe, "--quiet"});
    return at(name);
  }
};

TEST_F(ExplainCommand, DrawsAPictureAndSaysWhy) {
  const std::string data = pictures(), picture = data + "/bricks/0000.png";
  const std::string model = train(data, "m.muster", "dsift/bow:words=20/linear-svm:C=10");
  const Ran text = run_ok({"explain", model, picture, "-o", at("why.png")});
  EXPECT_THAT(text.out, HasSubstr("evidence of"));
  EXPECT_THAT(text.out, HasSubstr("exact"));
  EXPECT_THAT(text.out, HasSubstr("  for "));
  EXPECT_GT(read_image(at("why.png"), {0}).width, 500);
  const json found =
      run_ok({"explain", model, picture, "--class", "bricks", "--against", "stars", "--json"})
          .json();
  EXPECT_EQ(found["class"], "bricks");
  EXPECT_EQ(found["against"], "stars");
  double sum = 0;
  for (const json& value : found["vectors"]["value"]) sum += value.get<double>();
  EXPECT_NEAR(sum, found["score"].get<double>(), 1e-4);
  EXPECT_EQ(found["vectors"]["x"].size(), found["vectors"]["value"].size());
  EXPECT_EQ(found["map"]["values"].size(),
            found["map"]["rows"].get<size_t>() * found["map"]["cols"].get<size_t>());
  const json left_out = run_ok({"explain", model, picture, "--leave-out", "--json"}).json();
  EXPECT_EQ(left_out["evidence"], "leaving-out");
}

TEST_F(ExplainCommand, NamesTheTrainingPicturesOfKernelMethods) {
  const std::string data = pictures(), picture = data + "/bricks/0000.png";
  const std::string model = train(data, "m.muster", "dsift/pca:dim=8/pmk/kernel-svm:C=10");
  const Ran ran = run_ok({"explain", model, picture, "-o", at("why.png"), "--training", data});
  EXPECT_THAT(ran.out, HasSubstr("decided"));
  EXPECT_THAT(ran.out, HasSubstr("bricks/0000.png (bricks)"));
  const int with = read_image(at("why.png"), {0}).height;
  run_ok({"explain", model, picture, "-o", at("without.png")});
  EXPECT_GT(with, read_image(at("without.png"), {0}).height);
}

TEST_F(ExplainCommand, GivesTheEvidenceOfASetAsAnArray) {
  const std::string data = clouds(12);
  const std::string model = train(data, "m.muster", "bow:words=8/linear-svm:C=10");
  std::string set;
  for (const auto& entry : fs::recursive_directory_iterator(data))
    if (entry.path().extension() == ".npy") set = entry.path().string();
  run_ok({"explain", model, set, "-o", at("evidence.npy")});
  EXPECT_EQ(read_npy<double>(at("evidence.npy")).rows(), read_npy<double>(set).rows());
  expect_error({"explain", model, set, "-o", at("evidence.png")}, 2, ".npy");
}

TEST_F(ExplainCommand, RefusesWhatCannotBeExplained) {
  const std::string model_file = model(), picture = at("pictures/bricks/0000.png");
  expect_error({"explain", model_file, picture, "-o", at("why.jpg")}, 2, ".png");
  expect_error({"explain", model_file, picture, "--class", "brics"}, 2, "did you mean 'bricks'");
  expect_error({"explain", model_file, picture, "--class", "bricks", "--against", "bricks"}, 2,
               "itself");
  expect_error({"explain", model_file, picture, "--regions", "0"}, 2);
  expect_error({"explain", model_file, at("none.png")}, 3, "none.png");
  expect_error({"explain", at("none.muster"), picture}, 3, "none.muster");
  expect_error({"explain", model_file, picture, "-o", at("no/folder/why.png")}, 1, "why.png");
  write_text(at("not.png"), "not a picture");
  expect_error({"explain", model_file, at("not.png")}, 3, "not.png");
}

}  // namespace
}  // namespace muster
