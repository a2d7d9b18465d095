#include "server/service.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "server/assets.h"
#include "server/base64.h"
#include "server/test_support.h"
#include "support/datasets.h"

namespace muster::server {
namespace {

using nlohmann::json;

// A model of pictures of two classes, made once.
struct Trained {
  TempDir folder;
  std::string picture;  // the bytes of one of the first class
  std::unique_ptr<Models> models;

  Trained() {
    put_pictures(folder, 2, 4, 48);
    const std::string name = synth_class_names(2)[0];
    std::ifstream in(folder / (name + "/0.png"), std::ios::binary);
    picture.assign(std::istreambuf_iterator<char>(in), {});
    TrainOptions options;
    options.recipe = "dsift/bow:words=8/linear-svm:C=1";
    const TempDir out;
    train(folder.path(), options).save(out / "m.muster");
    models = std::make_unique<Models>(std::vector<std::filesystem::path>{out / "m.muster"});
  }
};

const Trained& trained() {
  static const Trained one;
  return one;
}

Service service(const std::string& token = "", size_t max_parts = 3) {
  return {*trained().models, {token, max_parts}};
}

json work(const std::string& path, const Request& request, int status = 200) {
  const Service::Done done = service().work(find_route("POST", path), request, {});
  EXPECT_EQ(done.reply.status, status) << done.reply.body;
  return json::parse(done.reply.body);
}

TEST(Service, PredictsWhatTheLibraryPredicts) {
  Request request;
  request.body = trained().picture;
  request.query["top"] = "2";
  const json answer = work("/predict", request)["predictions"][0];
  const Prediction expected = trained().models->find("")->model.predict(
      EncodedPicture{std::as_bytes(std::span(trained().picture))});
  EXPECT_EQ(answer["class"], expected.label());
  EXPECT_EQ(answer["probability"], expected.probability());
  EXPECT_EQ(answer["top"].size(), 2u);

  Request infer;
  infer.body = json{{"id", "7"},
                    {"inputs",
                     {{{"name", "pictures"},
                       {"datatype", "BYTES"},
                       {"shape", {1}},
                       {"data", {encode_base64(trained().picture)}}}}}}
                   .dump();
  const json tensors = work("/v2/models/m/infer", infer);
  EXPECT_EQ(tensors["id"], "7");
  EXPECT_EQ(tensors["outputs"][0]["data"], json({expected.label()}));
  EXPECT_EQ(tensors["outputs"][1]["data"], json(expected.probabilities()));
  EXPECT_EQ(tensors["outputs"][1]["shape"], json({1, 2}));
}

TEST(Service, ABadItemAmongGoodOnesHasAnErrorInItsPlace) {
  const auto part = [](const std::string& body) {
    return "--b\r\nContent-Disposition: form-data; name=\"<b>\"\r\n\r\n" + body + "\r\n";
  };
  Request request;
  request.content_type = "multipart/form-data; boundary=b";
  request.body = part("no picture") + part(trained().picture) + "--b--";
  const json predictions = work("/predict", request)["predictions"];
  EXPECT_TRUE(predictions[0].contains("error"));
  EXPECT_EQ(predictions[0]["item"], "<b>");
  EXPECT_TRUE(predictions[1].contains("class"));
  request.body = part("no picture") + "--b--";
  EXPECT_TRUE(work("/predict", request, 422).contains("error"));
  request.body = part("a") + part("b") + part("c") + part("d") + "--b--";
  EXPECT_EQ(status_of([&] { work("/predict", request); }, "more than 3"), 413);
}

TEST(Service, RefusesBeforeTheBody) {
  const auto check = [](const std::string& path, const Request& request,
                        const std::string& token = "") {
    return status_of([&] { service(token).check(find_route("POST", path), request); });
  };
  Request request;
  EXPECT_EQ(check("/predict", request), 0);
  EXPECT_EQ(check("/predict", request, "secret-1"), 401);
  request.authorization = "Bearer secret-2";
  EXPECT_EQ(check("/predict", request, "secret-1"), 401);
  request.authorization = "Bearer secret-1x";
  EXPECT_EQ(check("/predict", request, "secret-1"), 401);
  request.authorization = "Bearer ";
  EXPECT_EQ(check("/predict", request, "secret-1"), 401);
  request.authorization = "Bearer secret-1";
  EXPECT_EQ(check("/predict", request, "secret-1"), 0);
  request.content_encoding = "gzip";
  EXPECT_EQ(check("/predict", request), 415);
  request.content_encoding = "";
  request.content_type = "image/png";
  EXPECT_EQ(check("/predict", request), 0);
  EXPECT_EQ(check("/v2/models/m/infer", request), 415);
  EXPECT_EQ(check("/v2/models/n/infer", request), 404);
  request.query["tip"] = "3";
  EXPECT_EQ(check("/predict", request), 400);
}

TEST(Service, AStopRequestEndsTheWork) {
  std::stop_source stop;
  stop.request_stop();
  Request request;
  request.body = trained().picture;
  EXPECT_EQ(
      status_of([&] { service().work(find_route("POST", "/predict"), request, stop.get_token()); }),
      503);
}

TEST(Service, TheDescriptionNamesEveryPath) {
  const json described = json::parse(kOpenApi);
  for (const char* path :
       {"/predict", "/models", "/metrics", "/v2", "/v2/health/live", "/v2/health/ready",
        "/v2/models/{model}", "/v2/models/{model}/ready", "/v2/models/{model}/infer"}) {
    ASSERT_TRUE(described["paths"].contains(path)) << path;
    const bool post = described["paths"][path].contains("post");
    EXPECT_NO_THROW(find_route(post ? "POST" : "GET", path)) << path;
  }
  for (const auto& [path, entry] : described["paths"].items())
    EXPECT_NE(allowed_method(path), "") << path;
}

}  // namespace
}  // namespace muster::server
