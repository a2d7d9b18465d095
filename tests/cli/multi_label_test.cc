// Several labels per item, from data to figures; models of several members; classes added; "none of
// these".
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "muster/store/npy.h"
#include "run_muster.h"

namespace muster {
namespace {

class MultiLabel : public CommandTest {
 protected:
  // Pictures of two classes of muster synth, with made-up labels: what is drawn, "even" for every
  // second picture. Of the first four, the drawn class is marked as difficult.
  void voc(const std::string& folder, const std::string& images, const std::string& lists) const {
    const std::string drawn = pictures(2, 12);
    std::map<std::string, std::string> text;
    int number = 0;
    for (const char* name : {"bricks", "stars"})
      for (int i = 0; i < 12; ++i, ++number) {
        const std::string id = fmt::format("{:06}", number), part = i % 2 ? "test" : "trainval";
        fs::create_directories(fs::path(at(folder)) / images);
        fs::copy(fmt::format("{}/{}/{:04}.png", drawn, name, i),
                 fs::path(at(folder)) / images / (id + ".png"));
        for (const char* label : {"bricks", "stars", "even"}) {
          const bool has = std::string(label) == "even" ? i % 4 < 2 : std::string(label) == name;
          text[fmt::format("{}_{}.txt", label, part)] += fmt::format("{} {:2}\n", id,
                                                                     i < 2 && has ? 0
                                                                     : has        ? 1
                                                                                  : -1);
        }
      }
    for (const auto& [name, lines] : text) write_text(fs::path(at(folder)) / lists / name, lines);
  }
};

TEST_F(MultiLabel, VocFoldersOf2006And2007) {
  voc("2007", "JPEGImages", "ImageSets/Main");
  voc("2006", "PNGImages", "ImageSets");
  json first;
  for (const char* year : {"2007", "2006"}) {
    const json looked = run_ok({"inspect", at(year), "--json"}).json();
    EXPECT_EQ(looked["layout"], "VOC folder");
    EXPECT_TRUE(looked["multi_label"]);
    const json record =
        run_ok({"bench", at(year), "--methods", "bow-linear", "--recipe",
                "dsift/bow:words=20/rbf/klr", "--set", "words=20", "--protocol", "voc", "--fuse",
                "1+2", "-o", at(std::string(year) + "-bench"), "--json"})
            .json();
    ASSERT_EQ(record["results"].size(), 3u);
    for (const json& result : record["results"]) {
      for (const char* key : {"auc_mean", "map_mean", "map_11_point_mean"})
        EXPECT_TRUE(result[key].is_number()) << key;
      EXPECT_FALSE(result.contains("accuracy_mean"));
      EXPECT_EQ(result["labels"].size(), 3u);
      EXPECT_EQ(result["splits"].size(), 1u);
      EXPECT_EQ(result["splits"][0]["predictions"].size(), 12u);
    }
    if (first.is_null())
      first = record["results"][0]["map_mean"];
    else
      EXPECT_EQ(record["results"][0]["map_mean"], first);
  }
  const std::string table = run_ok({"info", at("2007-bench")}).out;
  EXPECT_THAT(table, HasSubstr("11-point"));
  EXPECT_THAT(table, HasSubstr("fused 1+2"));
  EXPECT_THAT(read_text(at("2007-bench/report.html")), HasSubstr("Labels of"));
  const std::string out =
      run_ok({"bench", at("2007"), "--methods", "bow-linear", "--set", "words=20", "--protocol",
              "pos-neg", "--train", "4", "--splits", "2", "-o", at("pos-neg")})
          .out;
  EXPECT_THAT(out, HasSubstr("labels of bow-linear"));
}

TEST_F(MultiLabel, LabelsThatNobodyHasJudgedAreInferred) {
  const std::string drawn = pictures(3, 8);
  std::string list;
  for (const char* name : {"bricks", "scales", "stars"})
    for (int i = 0; i < 8; ++i)
      list += fmt::format("{}/{:04}.png\t{}{}\n", name, i, i % 3 == 0 ? "?" : "", name);
  write_text(drawn + "/labels.tsv", list);
  run_ok({"train", drawn, "-o", at("m.muster"), "--method", "bow-linear", "--set", "words=20"});
  const json figures = run_ok({"evaluate", at("m.muster"), drawn, "--json"}).json();
  EXPECT_GT(figures["inferred_map"], 0.5);
  EXPECT_TRUE(figures["labels"][0]["inferred_average_precision"].is_number());
  EXPECT_THAT(run_ok({"evaluate", at("m.muster"), drawn}).out, HasSubstr("mean inferred average"));
  const Ran bench = run_ok({"bench", drawn, "--methods", "bow-linear", "--set", "words=20",
                            "--protocol", "voc", "--splits", "2", "-o", at("out")});
  EXPECT_THAT(bench.out, HasSubstr("infAP %"));
  const json record = json::parse(read_text(at("out/results.json")));
  EXPECT_TRUE(record["results"][0]["inferred_map_mean"].is_number());
}

TEST_F(MultiLabel, ListsTrainPredictEvaluateAndFuse) {
  const std::string drawn = pictures(3, 8);
  std::string list;
  for (const char* name : {"bricks", "scales", "stars"})
    for (int i = 0; i < 8; ++i)
      list += fmt::format("{}/{:04}.png\t{}{}\n", name, i, name, i % 2 ? "" : ",even");
  write_text(drawn + "/labels.tsv", list);
  const auto train = [&](const std::string& file, const std::string& method) {
    run_ok({"train", drawn, "-o", at(file), "--method", method, "--set", "words=20"});
  };
  train("a.muster", "bow-linear");
  train("b.muster", "bow-rbf");
  run_ok({"fuse", at("a.muster"), at("b.muster"), "--weights", "2,1", "-o", at("ab.muster")});
  for (const char* file : {"a.muster", "ab.muster"}) {
    const json figures = run_ok({"evaluate", at(file), drawn, "--json"}).json();
    ASSERT_EQ(figures["labels"].size(), 4u);
    EXPECT_EQ(figures["labels"][1]["label"], "even");
    EXPECT_GT(figures["labels"][0]["auc"], 0.9);
    EXPECT_TRUE(figures["map_11_point"].is_number());
    EXPECT_THAT(run_ok({"evaluate", at(file), drawn}).out, HasSubstr("11-point %"));
    const json said = run_ok({"predict", at(file), drawn + "/stars/0000.png", "--json"}).json();
    for (const json& label : said[0]["top"]) EXPECT_GE(label["probability"], 0.5);
    EXPECT_EQ(run_ok({"predict", at(file), drawn + "/stars/0000.png", "--top", "4", "--json"})
                  .json()[0]["top"]
                  .size(),
              4u);
  }
  const json info = run_ok({"info", at("ab.muster"), "--json"}).json();
  EXPECT_EQ(info["kind"], "fused model");
  EXPECT_EQ(info["members"].size(), 2u);
  EXPECT_THAT(run_ok({"info", at("ab.muster")}).out, HasSubstr("member 2"));
  // Halves by seed, if the data have no division of their own.
  run_ok({"bench", drawn, "--methods", "bow-linear", "--set", "words=20", "--protocol", "voc",
          "--splits", "2", "-o", at("halves")});
  EXPECT_EQ(json::parse(read_text(at("halves/results.json")))["results"][0]["splits"].size(), 2u);
}

TEST_F(MultiLabel, FuseRefusesWhatDoesNotFit) {
  const std::string three = pictures(3, 6), two = pictures(2, 6, "two");
  for (const std::string& data : {three, two})
    run_ok({"train", data, "-o", data + ".muster", "--method", "bow-linear", "--set", "words=10"});
  expect_error({"fuse", three + ".muster", two + ".muster", "-o", at("f.muster")}, 3, "'scales'");
  expect_error({"fuse", three + ".muster", "-o", at("f.muster")}, 2, "two models");
  expect_error(
      {"fuse", three + ".muster", three + ".muster", "--weights", "1", "-o", at("f.muster")}, 2,
      "one per model");
  for (const char* bad : {"1", "1+9", "1+nothing", "1:x+1", "1:-2+1"})
    expect_error({"bench", three, "--methods", "bow-linear", "--fuse", bad, "-o", at("b")}, 2, bad);
  expect_error({"evaluate", two + ".muster", three}, 3, "'scales'");
}

TEST_F(MultiLabel, AddClassAndReject) {
  const std::string all = pictures(3, 10);
  fs::create_directories(at("two"));
  for (const char* name : {"bricks", "scales"})
    fs::copy(all + "/" + name, at("two") + "/" + name, fs::copy_options::recursive);
  const std::vector<std::string> train{"train", at("two"),  "--method", "bow-linear",
                                       "--set", "words=30", "-o"};
  const auto with = [](std::vector<std::string> list, std::initializer_list<std::string> more) {
    list.insert(list.end(), more);
    return list;
  };
  run_ok(with(train, {at("bare.muster")}));
  expect_error({"add-class", at("bare.muster"), all + "/stars", "-o", at("n.muster")}, 2,
               "--keep-training");
  run_ok(with(train, {at("m.muster"), "--keep-training"}));
  EXPECT_THAT(run_ok({"add-class", at("m.muster"), all + "/stars", "-o", at("n.muster")}).out,
              HasSubstr("added stars by 10 items; 3 classes now"));
  EXPECT_GT(run_ok({"evaluate", at("n.muster"), all, "--json"}).json()["accuracy"], 0.6)
      << "chance is a third";
  EXPECT_EQ(run_ok({"add-class", at("m.muster"), all + "/stars", "--name", "points", "-o",
                    at("p.muster"), "--json"})
                .json()["added"][0],
            "points");
  // Class folders, of which one is new.
  EXPECT_EQ(
      run_ok({"add-class", at("m.muster"), all, "-o", at("q.muster"), "--json"}).json()["items"],
      30);
  expect_error({"add-class", at("n.muster"), all, "-o", at("q.muster")}, 3, "knows all classes");
  expect_error({"add-class", at("m.muster"), all, "--name", "x", "-o", at("q.muster")}, 2,
               "class name");

  // Everything is less typical than all held-out items at 1, nothing at 0.
  std::vector<std::string> predict{"predict", at("m.muster")};
  for (const auto& entry : fs::directory_iterator(all + "/bricks"))
    predict.push_back(entry.path().string());
  const json said = run_ok(with(predict, {"--json"})).json();
  const auto least = std::ranges::min_element(
      said, {}, [](const json& item) { return item["typicality"].get<double>(); });
  ASSERT_LT((*least)["typicality"], 1);
  const auto which = static_cast<size_t>(least - said.begin());
  const std::string some = predict[2 + which];
  EXPECT_THAT(run_ok({"predict", at("m.muster"), some, "--reject", "1"}).out,
              HasSubstr("none of these"));
  EXPECT_TRUE(run_ok({"predict", at("m.muster"), some, "--reject", "1", "--json"})
                  .json()[0]["class"]
                  .is_null());
  EXPECT_THAT(run_ok({"predict", at("m.muster"), some, "--reject", "0"}).out, HasSubstr("bricks"));
  run_ok(with(train, {at("quick.muster"), "--set", "C=10", "--set", "calibrate=false"}));
  expect_error({"predict", at("quick.muster"), some, "--reject", "0.05"}, 2, "calibrate=true");
  EXPECT_EQ(said[0]["typicality_by"], "best-score");
  expect_error(with(train, {at("quick.muster"), "--class-mixtures"}), 2, "no universal mixture");
}

TEST_F(MultiLabel, RejectByLikelihoodRatio) {
  const std::string data = pictures(2, 4), model = at("m.muster");
  run_ok({"train", data, "--recipe",
          "dsift/pca:dim=8/supervector:components=4/linear-svm:C=10,calibrate=false",
          "--class-mixtures", "--keep-training", "-o", model});
  const std::string some = data + "/bricks";
  EXPECT_EQ(
      run_ok({"predict", model, some, "--reject", "0.05", "--json"}).json()[0]["typicality_by"],
      "likelihood-ratio");
  EXPECT_TRUE(run_ok({"info", model, "--json"}).json()["class_mixtures"]);
  EXPECT_THAT(run_ok({"info", model}).out, HasSubstr("likelihood ratio"));
  EXPECT_THAT(run_ok({"add-class", model, some, "--name", "more", "-o", at("n.muster")}).err,
              HasSubstr("no class mixtures"));
  EXPECT_FALSE(run_ok({"info", at("n.muster"), "--json"}).json()["class_mixtures"]);
}

}  // namespace
}  // namespace muster
