#include "server/studio/studio.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "server/studio/guard.h"
#include "server/test_support.h"
#include "support/datasets.h"

namespace muster::server {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

Request request_of(const std::string& method, const std::string& path,
                   std::map<std::string, std::string> query = {}) {
  Request request;
  request.method = method;
  request.path = path;
  request.query = std::move(query);
  request.host = "127.0.0.1:8090";
  request.studio = "1";
  return request;
}

Request upload(const std::string& class_name, const std::string& name, const std::string& content) {
  Request request = request_of("POST", "/studio/pictures/add", {{"class", class_name}});
  request.content_type = "multipart/form-data; boundary=b";
  request.body = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name +
                 "\"\r\n\r\n" + content + "\r\n--b--";
  return request;
}

std::string picture(int c, int i, int side = 48) {
  const std::vector<std::byte> bytes = encode_png(synth_image(
      c, side, side, Rng(7).derive(static_cast<uint64_t>(c)).derive(static_cast<uint64_t>(i))));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A studio on a folder, asked as its page does.
struct Asked {
  explicit Asked(const std::filesystem::path& folder) : studio(folder, {}) {}

  json ask(const Request& request) {
    EXPECT_EQ(status_of([&] { studio.begin(request); }), 0) << request.path;
    return json::parse(studio.work(request, {}).reply.body);
  }
  json get(const std::string& path) { return ask(request_of("GET", path)); }
  json post(const std::string& path, std::map<std::string, std::string> query) {
    return ask(request_of("POST", path, std::move(query)));
  }
  int refused(const Request& request, const std::string& part = "") {
    return status_of([&] { studio.work(request, {}); }, part);
  }
  template <class Condition>
  bool wait_until(const Condition& condition) {
    for (int i = 0; i < 600; ++i, std::this_thread::sleep_for(50ms))
      if (condition(get("/studio/state"))) return true;
    return false;
  }

  Studio studio;
};

TEST(Studio, GathersPicturesAndSaysWhatIsWrongWithThem) {
  const TempDir folder;
  folder.put("old/broken.png", "no picture");
  folder.put("old/a.png", picture(0, 0));
  folder.put("old/b.png", picture(0, 0));
  Asked asked(folder.path());
  const std::string markup = "<img src=x onerror=alert(1)>";
  asked.post("/studio/classes/add", {{"name", markup}});
  json added = asked.ask(upload(markup, "../../up.png", picture(1, 0)))["pictures"][0];
  EXPECT_EQ(added["file"], "up.png");
  EXPECT_FALSE(added.contains("known"));
  EXPECT_TRUE(asked.wait_until([](const json& state) { return state["unchecked"] == 0; }));
  added = asked.ask(upload(markup, "again.png", picture(1, 0)))["pictures"][0];
  EXPECT_EQ(added["file"], "up.png");
  EXPECT_EQ(added["known"], true);
  added = asked.ask(upload(markup, "<b>.png", "no picture"))["pictures"][0];
  EXPECT_NE(added["error"].get<std::string>().find("<b>.png: not a picture"), std::string::npos);

  const json state = asked.get("/studio/state");
  EXPECT_EQ(state["classes"][0]["name"], markup);
  EXPECT_EQ(state["classes"][0]["pictures"].size(), 1u);
  const json& old = state["classes"][1]["pictures"];
  EXPECT_EQ(old[0]["same"], json({"old/b.png"}));
  EXPECT_NE(old[2]["problem"].get<std::string>().find("not a picture"), std::string::npos);
  EXPECT_TRUE(state["model"].is_null());
  EXPECT_EQ(asked.refused(request_of("GET", "/studio/picture",
                                     {{"class", "old"}, {"file", "broken.png"}, {"side", "100"}})),
            422);
  Request small =
      request_of("GET", "/studio/picture", {{"class", "old"}, {"file", "a.png"}, {"side", "20"}});
  EXPECT_EQ(asked.studio.work(small, {}).reply.content_type, "image/jpeg");
  small.query["side"] = "20000";
  EXPECT_EQ(asked.refused(small, "side"), 400);
  small.query["file"] = "../../etc/passwd";
  EXPECT_EQ(asked.refused(small), 409);
}

TEST(Studio, TrainsTellsAndTrainsAgain) {
  const TempDir folder;
  put_pictures(folder, 2, 6, 48);
  const std::vector<std::string> names = synth_class_names(2);
  Asked asked(folder.path());
  EXPECT_EQ(asked.refused(request_of("POST", "/predict"), "no model has been trained yet"), 409);
  EXPECT_EQ(asked.refused(request_of("GET", "/studio/model"), "no model has been trained yet"),
            409);
  EXPECT_EQ(asked.refused(request_of("POST", "/studio/train", {{"effort", "huge"}}), "effort"),
            400);
  asked.post("/studio/train", {{"effort", "quick"}});
  EXPECT_EQ(asked.refused(request_of("POST", "/studio/train", {{"effort", "quick"}}), "under way"),
            409);
  ASSERT_TRUE(asked.wait_until([](const json& s) { return s["training"]["state"] == "done"; }));
  json state = asked.get("/studio/state");
  EXPECT_EQ(state["model"]["classes"], json(names));
  EXPECT_EQ(state["model"]["stale"], false);
  const json report = state["model"]["report"];
  EXPECT_EQ(report["items"], 12);
  EXPECT_GE(report["tried"].size(), 1u);
  EXPECT_TRUE(load(folder / "model.muster").class_names() == names);

  Request question = request_of("POST", "/predict", {{"top", "2"}, {"explain", "1"}});
  question.body = picture(0, 9);
  const json answer = asked.ask(question)["predictions"][0];
  EXPECT_EQ(answer["top"].size(), 2u);
  EXPECT_TRUE(answer["explanation"].contains("map"));

  asked.post("/studio/pictures/move", {{"class", names[0]}, {"file", "0.png"}, {"to", names[1]}});
  EXPECT_EQ(asked.get("/studio/state")["model"]["stale"], true);
  asked.post("/studio/pictures/remove", {{"class", names[0]}, {"file", "1.png"}});
  EXPECT_EQ(asked.get("/studio/state")["undo"], names[0] + "/1.png");
  EXPECT_EQ(asked.post("/studio/undo", {})["restored"], names[0] + "/1.png");
}

TEST(Studio, AStoppedTrainingLeavesTheOldModel) {
  const TempDir folder;
  put_pictures(folder, 2, 12, 200);
  folder.put("model.muster", "no model");
  Asked asked(folder.path());
  EXPECT_TRUE(asked.get("/studio/state").contains("model_problem"));
  asked.post("/studio/train", {{"effort", "thorough"}});
  asked.post("/studio/cancel", {});
  ASSERT_TRUE(asked.wait_until([](const json& s) { return s["training"]["state"] != "running"; }));
  EXPECT_EQ(asked.get("/studio/state")["training"]["state"], "cancelled");
  EXPECT_EQ(read_whole_file(folder / "model.muster"), "no model");
}

TEST(Studio, AFolderDeletedWhileItRunsIsSaid) {
  const TempDir temp;
  std::filesystem::create_directories(temp / "studio/cats");
  Asked asked(temp / "studio");
  EXPECT_EQ(
      asked.refused(request_of("POST", "/studio/train", {{"effort", "quick"}}), "two classes"),
      409);
  std::error_code busy;  // the catalogue may be writing its file into it
  while (std::filesystem::exists(temp / "studio"))
    std::filesystem::remove_all(temp / "studio", busy);
  EXPECT_EQ(asked.refused(request_of("GET", "/studio/state"), "gone"), 410);
  EXPECT_EQ(asked.refused(upload("cats", "a.png", picture(0, 0)), "gone"), 410);
  EXPECT_EQ(asked.refused(request_of("POST", "/studio/train", {{"effort", "quick"}}), "gone"), 410);
  for (int i = 0; i < 100; ++i, std::this_thread::sleep_for(50ms)) {
    asked.studio.tick();
    if (json::parse(asked.studio.news())["revision"] == 0) return;
  }
  ADD_FAILURE() << asked.studio.news();
}

TEST(Studio, RequestsOfOtherSitesAreRefused) {
  const TempDir folder;
  const Studio studio(folder.path(), {});
  const auto status = [&](const Request& request) {
    return status_of([&] { studio.begin(request); });
  };
  Request request = request_of("POST", "/studio/classes/add", {{"name", "x"}});
  EXPECT_EQ(status(request), 0);
  request.origin = "http://127.0.0.1:8090";
  request.fetch_site = "same-origin";
  EXPECT_EQ(status(request), 0);
  for (const char* origin :
       {"http://evil.example", "null", "http://127.0.0.1:9999", "https://127.0.0.1:8090"}) {
    request.origin = origin;
    EXPECT_EQ(status(request), 403) << origin;
  }
  request.origin = "";
  for (const char* site : {"cross-site", "same-site", "x"}) {
    request.fetch_site = site;
    EXPECT_EQ(status(request), 403) << site;
  }
  request.fetch_site = "";
  request.studio = "";
  EXPECT_EQ(status(request), 403);
  request.studio = "1";
  for (const char* host : {"evil.example", "evil.example:8090", "localhost.evil.example", "",
                           "127.0.0.1.evil.example", "[::2]:8090"}) {
    request.host = host;
    EXPECT_EQ(status(request), 403) << host;
    Request page = request_of("GET", "/");
    page.host = host;
    EXPECT_EQ(status(page), 403) << host;
  }
  for (const char* host : {"localhost", "localhost:1", "[::1]:8090", "127.0.0.1"}) {
    request.host = host;
    EXPECT_EQ(status(request), 0) << host;
  }
}

TEST(Studio, UnknownPathsAndMethodsAreRefused) {
  const TempDir folder;
  Studio studio(folder.path(), {});
  const auto status = [&](const std::string& method, const std::string& path) {
    return status_of([&] { studio.begin(request_of(method, path)); });
  };
  for (const char* path : {"/studio", "/studio/../etc", "/x", "", "/studio/state/", "/models"})
    EXPECT_EQ(status("GET", path), 404) << path;
  EXPECT_EQ(status("GET", "/studio/train"), 405);
  EXPECT_EQ(status("DELETE", "/studio/state"), 405);
  EXPECT_EQ(status("HEAD", "/"), 0);
  EXPECT_EQ(studio.allowed("/studio/train"), "POST");
  EXPECT_EQ(
      status_of([&] { studio.work(request_of("POST", "/studio/classes/add"), {}); }, "'name'"),
      400);
}

}  // namespace
}  // namespace muster::server
