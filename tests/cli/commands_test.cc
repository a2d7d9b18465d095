// Each of the smaller commands on its own.
#include <gmock/gmock.h>

#include "muster/recipe/registry.h"
#include "muster/store/npy.h"
#include "run_muster.h"

namespace muster {
namespace {

class Commands : public CommandTest {};

TEST_F(Commands, HelpIsAtHand) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"}, {"help"}}) {
    const Ran help = run_ok(arguments);
    for (const char* name : {"synth", "inspect", "extract", "encode", "gram", "train", "predict",
                             "evaluate", "bench", "match", "methods", "info"})
      EXPECT_THAT(help.out, HasSubstr(std::string("\n  ") + name + " "));
  }
  EXPECT_THAT(run_ok({"help", "bench"}).out, HasSubstr("--protocol"));
  EXPECT_THAT(run_ok({"--version"}).out, HasSubstr("muster "));
}

TEST_F(Commands, MethodsListsTheRegistry) {
  const json listed = run_ok({"methods", "--json"}).json();
  ASSERT_EQ(listed["stages"].size(), all_stages().size());
  ASSERT_EQ(listed["presets"].size(), all_presets().size());
  const std::string text = run_ok({"methods"}).out;
  for (size_t s = 0; s < all_stages().size(); ++s) {
    const StageEntry& stage = all_stages()[s];
    const json& entry = listed["stages"][s];
    EXPECT_EQ(entry["name"], stage.name);
    EXPECT_EQ(entry["kind"], stage.kind());
    EXPECT_EQ(entry["summary"], stage.summary);
    EXPECT_EQ(entry["paper"], stage.paper);
    EXPECT_THAT(text, HasSubstr("\n  " + stage.name + " "));
    const auto options = stage.make_options();
    const std::vector<Field> fields = options->fields().list();
    ASSERT_EQ(entry["options"].size(), fields.size());
    for (size_t f = 0; f < fields.size(); ++f) {
      EXPECT_EQ(entry["options"][f]["name"], fields[f].name());
      EXPECT_EQ(entry["options"][f]["default"], fields[f].text());
      EXPECT_EQ(entry["options"][f]["allowed"], fields[f].allowed());
      EXPECT_FALSE(entry["options"][f]["help"].get<std::string>().empty())
          << stage.name << "." << fields[f].name();
      EXPECT_THAT(text, HasSubstr(fields[f].help()));
    }
    EXPECT_EQ(run_ok({"methods", stage.name, "--json"}).json()["stages"], json::array({entry}));
  }
  for (const json& preset : listed["presets"]) {
    EXPECT_EQ(parse_recipe(preset["recipe"].get<std::string>()).text(), preset["recipe"]);
    EXPECT_FALSE(preset["options"].empty());
    EXPECT_THAT(run_ok({"methods", preset["name"]}).out,
                HasSubstr(preset["recipe"].get<std::string>()));
  }
}

TEST_F(Commands, ProfileSaysWhereTimeAndMemoryGo) {
  const std::string data = pictures();
  const std::vector<std::string> train{"train",        data,       "-o",
                                       at("m.muster"), "-r",       "dsift/bow:words=20/linear-svm",
                                       "--json",       "--profile"};
  const Ran ran = run_ok(train);
  const json profile = ran.json()["profile"];
  std::vector<std::string> stages;
  double seconds = 0;
  for (const json& stage : profile["stages"]) {
    stages.push_back(stage["stage"]);
    seconds += stage["seconds"].get<double>();
    EXPECT_GT(stage["peak_memory_mib"].get<double>(), 0);
    EXPECT_LE(stage["peak_memory_mib"], profile["peak_memory_mib"]);
    EXPECT_THAT(ran.err, HasSubstr(stages.back()));
  }
  EXPECT_THAT(stages, testing::IsSupersetOf({"features", "k-means", "encoding", "training"}));
  EXPECT_NEAR(seconds, profile["seconds"].get<double>(), 1e-9);
  EXPECT_THAT(ran.err, HasSubstr("peak MiB"));
  EXPECT_EQ(run_ok({"info", at("m.muster")}).err, "");
}

TEST_F(Commands, SynthGoesOnWhereItStopped) {
  const std::string data = pictures(2, 5);
  const std::string kept = read_text(data + "/bricks/0003.png");
  fs::remove(data + "/bricks/0003.png");
  const json again =
      run_ok({"synth", data, "--classes", "2", "--per-class", "5", "--size", "64x48", "--json"})
          .json();
  EXPECT_EQ(again["written"], 1);
  EXPECT_EQ(again["kept"], 9);
  EXPECT_TRUE(read_text(data + "/bricks/0003.png") == kept);
  expect_error(
      {"synth", data, "--classes", "2", "--per-class", "5", "--size", "64x48", "--seed", "2"}, 2,
      "another set");
  write_text(at("full/notes.txt"), "mine");
  expect_error({"synth", at("full")}, 2, "not empty");
  write_text(at("killed/.muster-1-0.tmp"), "{");
  run_ok({"synth", at("killed"), "--classes", "2", "--per-class", "2"});
}

TEST_F(Commands, ExtractGoesOnWhereItStopped) {
  const std::string data = pictures(2, 4);
  write_text(data + "/bricks/broken.png", "no picture");
  const std::vector<std::string> command{"extract",  data,         "-o",    at("features"),
                                         "--recipe", "dsift/root", "--json"};
  const json first = run_ok(command).json();
  EXPECT_EQ(first["added"], 8);
  EXPECT_EQ(first["left_out"].size(), 1u);
  EXPECT_THAT(read_text(at("features/left_out.tsv")), HasSubstr("bricks/broken.png\t"));
  fs::copy(data + "/bricks/0000.png", data + "/bricks/9999.png");
  const json second = run_ok(command).json();
  EXPECT_EQ(second["added"], 1);
  EXPECT_EQ(second["kept"], 8);
  const json info = run_ok({"info", at("features"), "--json"}).json();
  EXPECT_EQ(info["items"], 9);
  EXPECT_EQ(info["dimension"], 128);
  expect_error({"extract", data, "-o", at("features")}, 2, "holds features with recipe");
  expect_error({"extract", data, "-o", at("other"), "--recipe", "dsift/pca"}, 2, "pca");
  expect_error({"extract", data, "-o", at("other"), "--recipe", "dsift/bow"}, 2, "goes beyond");
  EXPECT_FALSE(fs::exists(at("other")));
}

// The commands whose caches no other test looks at.
TEST_F(Commands, ACacheChangesNoResult) {
  const std::string data = pictures(2, 4), model = at("m.muster");
  run_ok({"train", data, "-o", model, "--recipe", "dsift/bow:words=9/linear-svm:C=1"});
  const std::vector<std::vector<std::string>> commands{
      {"predict", model, data + "/bricks"},
      {"evaluate", model, data},
      {"match", data + "/bricks/0000.png", data + "/bricks/0001.png"},
      {"extract", data, "-o", at("features")},
      {"weights", data, "-o", at("w"), "--recipe", "dsift/spm:words=9,levels=1/kernel-svm:C=1"}};
  for (std::vector<std::string> command : commands) {
    SCOPED_TRACE(command[0]);
    const std::string expected = run_ok(command).out, cache = at("cache-" + command[0]);
    fs::remove_all(at("features"));
    command.insert(command.end(), {"--cache", cache});
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(run_ok(command).out, expected);
      fs::remove_all(at("features"));
    }
    size_t entries = 0;
    for (const auto& entry : fs::directory_iterator(cache)) entries += entry.is_directory();
    EXPECT_EQ(entries, 1u);
  }
}

TEST_F(Commands, WeightsOfDataAndModels) {
  const std::string data = pictures(3, 6), model = at("m.muster");
  const std::string recipe = "dsift/spm:words=9,levels=1/kernel-svm:C=1";
  const auto weights = [&](const std::string& source, std::vector<std::string> more) {
    more.insert(more.begin(), {"weights", source, "-o", at("w"), "--json"});
    return run_ok(more).json();
  };
  const json all = weights(data, {"--recipe", recipe});
  EXPECT_EQ(all["classes"].size(), 3u);
  ASSERT_EQ(all["branches"].size(), 1u);
  ASSERT_EQ(all["branches"][0]["parts"].size(), 5u);
  double sum = 0;
  for (const double part : all["branches"][0]["parts"]) sum += part;
  EXPECT_NEAR(sum, 1, 1e-9);
  ASSERT_EQ(all["branches"][0]["pictures"].size(), 2u);
  EXPECT_TRUE(fs::exists(at("w/branch0-level1.png")));
  EXPECT_EQ(json::parse(read_text(at("w/weights.json"))), all);
  run_ok({"train", data, "-o", model, "--recipe", recipe});
  EXPECT_EQ(weights(model, {}), all);

  const std::string one = all["classes"][0], other = all["classes"][2];
  EXPECT_EQ(weights(data, {"--recipe", recipe, "--one", one})["classes"], (json{one, "others"}));
  EXPECT_EQ(weights(data, {"--recipe", recipe, "--pair", one + "," + other})["classes"],
            (json{one, other}));
  expect_error({"weights", model, "-o", at("w"), "--one", one}, 2, "classes already");
  expect_error({"weights", data, "-o", at("w"), "--one", "nobody"}, 2, "unknown class 'nobody'");
  expect_error({"weights", data, "-o", at("w"), "--method", "bow-linear"}, 2, "no kernels");
  run_ok({"train", data, "-o", model, "--recipe", "dsift/bow:words=9/linear-svm:C=1"});
  expect_error({"weights", model, "-o", at("w")}, 2, "no kernels");
}

TEST_F(Commands, EncodeAndGram) {
  const std::string sets = clouds(10) + "/circle", others = at("clouds/cross");
  run_ok({"encode", sets, "-o", at("x.npy"), "--recipe", "bow:words=6", "--fit", others});
  const Matrix<double> vectors = read_npy<double>(at("x.npy"));
  EXPECT_EQ(vectors.rows(), 10u);
  EXPECT_EQ(vectors.cols(), 6u);
  double sum = 0;
  for (double value : vectors.row(0)) sum += value;
  EXPECT_NEAR(sum, 1, 1e-5);
  run_ok({"encode", sets, "-o", at("x.libsvm"), "--recipe", "bow:words=6"});
  EXPECT_TRUE(read_text(at("x.libsvm")).starts_with("0 1:"));

  run_ok({"encode", sets, "-o", at("own.npy"), "--recipe", "bow:words=6"});
  const Matrix<double> own = read_npy<double>(at("own.npy"));
  run_ok({"gram", sets, "-o", at("k.npy"), "--recipe", "bow:words=6"});
  const Matrix<double> gram = read_npy<double>(at("k.npy"));
  ASSERT_EQ(gram.rows(), 10u);
  for (size_t i = 0; i < 10; ++i)
    for (size_t j = 0; j < 10; ++j) {
      double dot = 0;
      for (size_t t = 0; t < 6; ++t) dot += own(i, t) * own(j, t);
      EXPECT_NEAR(gram(i, j), dot, 1e-5);
    }
  // Three rows of ten doubles at a time.
  run_ok(
      {"gram", sets, "-o", at("strips.npy"), "--recipe", "bow:words=6", "--memory-mib", "0.00024"});
  const Matrix<double> strips = read_npy<double>(at("strips.npy"));
  ASSERT_EQ(strips.rows(), 10u);
  for (size_t i = 0; i < 10; ++i)
    for (size_t j = 0; j < 10; ++j) {
      EXPECT_NEAR(strips(i, j), gram(i, j), 1e-6);
      EXPECT_EQ(strips(i, j), strips(j, i));
    }
  EXPECT_EQ(run_ok({"gram", sets, others, "-o", at("k2.npy"), "--recipe", "sum-match", "--json"})
                .json()["cols"],
            10);
  EXPECT_THAT(run_ok({"gram", sets, "-o", at("k.txt"), "--recipe", "bow:words=6/rbf"}).err,
              HasSubstr("gamma=auto"));
  EXPECT_TRUE(read_text(at("k.txt")).starts_with("0 0:1 1:"));
  EXPECT_THAT(run_ok({"info", at("k.npy")}).out, HasSubstr("f64  10 x 10"));

  expect_error({"encode", sets, "-o", at("y.npy"), "--recipe", "bow/linear-svm"}, 2, "classifier");
  expect_error({"encode", sets, "-o", at("y.npy"), "--recipe", "bow/rbf"}, 2, "use gram");
  expect_error({"gram", sets, "-o", at("y.npy"), "--recipe", "pca"}, 2, "stops at sets");
  expect_error({"gram", sets, "-o", at("y.dat"), "--recipe", "bow"}, 2, ".npy");
  expect_error({"gram", at("none"), "-o", at("y.npy"), "--recipe", "bow"}, 3, "none");
  EXPECT_FALSE(fs::exists(at("y.npy")));
}

TEST_F(Commands, InspectFindsWhatIsWrong) {
  const std::string data = pictures(2, 4);
  fs::copy(data + "/bricks/0001.png", data + "/stars/twin.png");
  write_text(data + "/stars/text.jpg", "this is text");
  write_text(data + "/stars/notes.txt", "notes");
  const json found = run_ok({"inspect", data, "--json"}).json();
  ASSERT_EQ(found["unreadable"].size(), 1u);
  EXPECT_EQ(found["unreadable"][0]["item"], "stars/text.jpg");
  ASSERT_EQ(found["duplicates"].size(), 1u);
  EXPECT_EQ(found["duplicates"][0]["across_classes"], true);
  EXPECT_EQ(found["passed_over"].size(), 1u);
  EXPECT_GT(found["forecast"]["feature_bytes"], 0);
  EXPECT_THAT(run_ok({"inspect", data}).out, HasSubstr("ACROSS CLASSES"));
}

}  // namespace
}  // namespace muster
