// Neural networks as the command has them, on a small network that the test writes.
#include "run_muster.h"
#include "support/networks.h"

namespace muster {
namespace {

class NetworkCommand : public CommandTest {
 protected:
  void SetUp() override {
    ::unsetenv("MUSTER_DNN_MODEL");
    write_text(network_, small_network().file("mean"));
  }

  std::string network_ = at("net.onnx");
};

TEST_F(NetworkCommand, TrainsPredictsAndExplains) {
  MUSTER_NEED_NETWORKS();
  const std::string data = pictures(), some = data + "/bricks", model = at("m.muster");
  run_ok({"train", data, "-o", model, "--recipe", "dnn:sides=64/mean/linear-svm", "--set",
          "dnn.model=" + network_, "--quiet"});
  const Ran expected = run_ok({"predict", model, some});
  const json info = run_ok({"info", model, "--json"}).json();
  EXPECT_THAT(info.dump(), HasSubstr("layer=fire%2Fconcat"));
  EXPECT_THAT(info.dump(), HasSubstr("checksum="));
  EXPECT_THAT(run_ok({"explain", model, some + "/0000.png", "-o", at("why.png")}).out,
              HasSubstr("evidence of"));

  fs::rename(network_, at("moved.onnx"));
  expect_error({"predict", model, some}, 2, "MUSTER_DNN_MODEL");
  run_ok({"info", model});
  {
    const ModelVariable moved(at("moved.onnx"));
    EXPECT_EQ(run_ok({"predict", model, some}).out, expected.out);
  }
  write_text(at("other.onnx"), small_network(2).file("mean"));
  const ModelVariable other(at("other.onnx"));
  expect_error({"predict", model, some}, 2, "is not the network that this model was trained with");
}

TEST_F(NetworkCommand, WithoutANetworkItSaysHowToGetOne) {
  MUSTER_NEED_NETWORKS();
  expect_error({"train", pictures(), "-o", at("m.muster"), "--method", "neural"}, 2,
               "give an ONNX file with --set dnn.model=FILE");
}

TEST_F(NetworkCommand, AutoJudgesItIfItIsNamed) {
  MUSTER_NEED_NETWORKS();
  const std::string data = pictures(3, 12);
  EXPECT_THAT(run_ok({"inspect", data}).out, testing::Not(HasSubstr("network")));
  const ModelVariable named(network_);
  EXPECT_THAT(run_ok({"inspect", data}).out, HasSubstr("network"));
}

TEST_F(NetworkCommand, InfoListsLayersAndRecommendsOne) {
  MUSTER_NEED_NETWORKS();
  const std::string text = run_ok({"info", network_}).out;
  EXPECT_THAT(text, HasSubstr("1 x 12 x 64 x 64"));
  EXPECT_THAT(text, HasSubstr("4096 vectors of dimension 12  <- recommended"));
  const json listed = run_ok({"info", network_, "--json"}).json();
  EXPECT_EQ(listed["kind"], "network");
  EXPECT_EQ(listed["layers"][0]["name"], "stem");
}

TEST_F(NetworkCommand, BadNetworksAreErrors) {
  MUSTER_NEED_NETWORKS();
  const std::string data = pictures();
  const auto train = [&](const std::string& recipe, const std::string& file) {
    return std::vector<std::string>{"train",    data,   "-o",    at("m.muster"),
                                    "--recipe", recipe, "--set", "dnn.model=" + file};
  };
  const std::string good = read_text(network_);
  write_text(at("none.onnx"), "this is not a network");
  write_text(at("cut.onnx"), good.substr(0, good.size() - 40));
  write_text(at("odd.onnx"), small_network().node("Teleport", {"mean"}, "away", {}).file("away"));
  for (const char* name : {"none.onnx", "cut.onnx", "odd.onnx"}) {
    expect_error(train("dnn/mean/linear-svm", at(name)), 3, name);
    expect_error({"info", at(name)}, 3, name);
  }
  expect_error(train("dnn/mean/linear-svm", at("absent.onnx")), 2, "absent.onnx");
  expect_error(train("dnn:layer=fire.conact/mean/linear-svm", network_), 2, "did you mean");
  expect_error(train("dnn:mean=1,2/mean/linear-svm", network_), 2, "mean");
}

TEST_F(NetworkCommand, WithoutTheModuleItSaysSo) {
  ::setenv("MUSTER_DNN_MODULE", at("no-module").c_str(), 1);
  EXPECT_THAT(run_ok({"methods"}).out, HasSubstr("not in this build"));
  EXPECT_THAT(run_ok({"methods", "dnn"}).out, HasSubstr("not in this build"));
  EXPECT_EQ(run_ok({"methods", "dnn", "--json"}).json()["stages"][0]["in_build"], false);
  expect_error({"info", network_}, 2, "muster-dnn");
  expect_error({"train", pictures(), "-o", at("m.muster"), "--recipe", "dnn/mean/linear-svm",
                "--set", "dnn.model=" + network_},
               2, "not in this build");
  ::unsetenv("MUSTER_DNN_MODULE");
}

}  // namespace
}  // namespace muster
