// match, kernels and their transforms as the command has them.
#include <gmock/gmock.h>

#include <set>

#include "muster/image/decode.h"
#include "muster/store/npy.h"
#include "run_muster.h"

namespace muster {
namespace {

class Match : public CommandTest {};

TEST_F(Match, DrawsTheMatchesOfTwoPictures) {
  run_ok({"synth", at("pictures"), "--classes", "2", "--per-class", "2", "--size", "160x120",
          "--quiet"});
  const std::string a = at("pictures/bricks/0000.png"), b = at("pictures/bricks/0001.png");
  for (const char* method : {"pmk", "vg-pmk:branch=3,levels=3", "matching", "greedy"}) {
    SCOPED_TRACE(method);
    const std::string out = at("pairs.png");
    const json found =
        run_ok({"match", a, b, "--method", method, "-o", out, "--draw", "20", "--json"}).json();
    ASSERT_EQ(found["matches"].size(),
              std::min(found["sizes"][0].get<size_t>(), found["sizes"][1].get<size_t>()));
    ASSERT_GT(found["matches"].size(), 0u);
    std::set<size_t> left, right;
    for (const json& match : found["matches"]) {
      EXPECT_TRUE(left.insert(match["a"].get<size_t>()).second &&
                  right.insert(match["b"].get<size_t>()).second);
      EXPECT_GE(match["level"].get<int>(), 0);
      EXPECT_GE(match["weight"].get<double>(), 0);
    }
    EXPECT_GE(read_image(out, {0}).width, 2 * 160);
    fs::remove(out);
  }
  EXPECT_THAT(run_ok({"match", a, b}).out, HasSubstr("matches, weight"));
  expect_error({"match", a, b, "-o", at("pairs.jpg")}, 2, ".png");
  expect_error({"match", a, b, "--method", "match"}, 2, "greedy");
  expect_error({"match", a, b, "--method", "bow"}, 2, "greedy");
  expect_error({"match", a, b, "--method", "foo"}, 2, "'foo'");
  expect_error({"match", a, b, "--recipe", "pca"}, 2,
               "a feature stage such as dsift must come first");
  expect_error({"match", a, b, "--recipe", "dsift/bow"}, 2, "set feature");
  expect_error({"match", a, at("none.png")}, 3, "none.png");
  expect_error({"match", a, at("notes.txt")}, 3, "notes.txt");
  EXPECT_FALSE(fs::exists(at("pairs.jpg")));
}

TEST_F(Match, OfVectorSetsIsJson) {
  Matrix<float> left(3, 2), right(2, 2);
  left(0, 0) = 10;
  left(1, 0) = 5;
  right(0, 1) = 1;  // near the third
  right(1, 0) = 11;
  write_npy(at("a.npy"), left);
  write_npy(at("b.npy"), right);
  const json found =
      run_ok({"match", at("a.npy"), at("b.npy"), "--method", "matching:distance=true", "--json"})
          .json();
  ASSERT_EQ(found["matches"].size(), 2u);
  EXPECT_EQ(found["matches"][0], (json{{"a", 0}, {"b", 1}, {"level", 0}, {"weight", 1.0}}));
  EXPECT_EQ(found["matches"][1], (json{{"a", 2}, {"b", 0}, {"level", 0}, {"weight", 1.0}}));
  expect_error({"match", at("a.npy"), at("b.npy"), "-o", at("x.png")}, 2, "--json");
  EXPECT_THAT(run_ok({"match", at("a.npy"), at("b.npy"), "--recipe", "dsift"}).err,
              HasSubstr("the feature stage dsift is left out"));
  write_text(at("c.png"), "");
  expect_error({"match", at("a.npy"), at("c.png")}, 3, "two kinds");
}

TEST_F(Match, KernelsAreListedWithWhatTheyAre) {
  const std::string table = run_ok({"methods", "--kernels"}).out;
  EXPECT_THAT(table, HasSubstr("C  P  M  U"));
  EXPECT_THAT(table, testing::ContainsRegex("\nmatch +d m\\^2 +x  x\n"));
  EXPECT_THAT(table, testing::ContainsRegex("\nexponent +d m\\^2 +x  x  x\n"));
  EXPECT_THAT(table, testing::ContainsRegex("\ngreedy +d m\\^2 +x     x  x\n"));
  EXPECT_THAT(table, testing::ContainsRegex("\npmk +d m log R +x  x  x  x\n"));
  const json methods = run_ok({"methods", "--json"}).json();
  for (const json& stage : methods["stages"]) {
    if (stage["name"] == "match") {
      EXPECT_EQ(stage["traits"]["psd"], "no");
    }
    if (stage["name"] == "normalise") {
      EXPECT_EQ(stage["traits"]["psd"], "as before");
    }
    if (stage["name"] == "l1-embedding") {
      EXPECT_EQ(stage["traits"]["distance"], true);
    }
  }
  expect_error({"methods", "bow", "--kernels"}, 2, "leave out 'bow'");
}

TEST_F(Match, TransformsWorkFromGramToPrediction) {
  const std::string data = clouds(12);
  run_ok({"gram", data + "/circle", "-o", at("k.npy"), "--recipe", "greedy/normalise"});
  const Matrix<double> gram = read_npy<double>(at("k.npy"));
  for (size_t i = 0; i < gram.rows(); ++i) EXPECT_EQ(gram(i, i), 1);
  run_ok({"gram", data + "/circle", data + "/cross", "-o", at("d.npy"), "--recipe",
          "matching:distance=true"});

  for (const char* recipe :
       {"match:gamma=20/kernel-svm", "greedy:gamma=20/normalise/kernel-svm:indefinite=flip",
        "match/subpoly:p=0.3/empirical-map/normalise/kernel-svm",
        "matching:distance=true/empirical-map/normalise/kernel-svm",
        "bow:words=9/rbf/subpoly/kernel-svm"}) {
    SCOPED_TRACE(recipe);
    run_ok({"train", data, "-o", at("m.muster"), "--recipe", recipe, "--quiet"});
    const json result = run_ok({"evaluate", at("m.muster"), data, "--json"}).json();
    EXPECT_GE(result["accuracy"].get<double>(), 0.75);
  }
  expect_error(
      {"train", data, "-o", at("n.muster"), "--recipe", "matching:distance=true/kernel-svm"}, 2,
      "empirical-map");
}

TEST_F(Match, IndefiniteKernelMatricesAreReported) {
  const std::string data = clouds(15);
  const Ran trained = run_ok({"train", data, "-o", at("m.muster"), "--recipe",
                              "match:gamma=0.3/subpoly:p=0.1/kernel-svm"});
  EXPECT_THAT(trained.err, HasSubstr("not positive semi-definite"));
  const json info = run_ok({"info", at("m.muster"), "--json"}).json();
  EXPECT_LT(info["indefinite"]["smallest_eigenvalue"].get<double>(), 0);
  EXPECT_GT(info["indefinite"]["negative"].get<int>(), 0);
  EXPECT_THAT(run_ok({"info", at("m.muster")}).out, HasSubstr("indefinite"));
  expect_error({"train", data, "-o", at("n.muster"), "--recipe",
                "match:gamma=0.3/subpoly:p=0.1/kernel-svm:indefinite=refuse"},
               3, "indefinite=clip");
  run_ok({"bench", data, "--protocol", "k-fold", "--folds", "3", "--recipe",
          "match:gamma=0.3/subpoly:p=0.1/kernel-svm", "-o", at("bench"), "--quiet"});
  const json results = json::parse(read_text(at("bench/results.json")));
  EXPECT_TRUE(results["results"][0]["splits"][0].contains("indefinite"));
}

}  // namespace
}  // namespace muster
