#include "server/routes.h"

#include "server/test_support.h"

namespace muster::server {
namespace {

TEST(Routes, PathsLeadToEndpoints) {
  EXPECT_EQ(find_route("GET", "/").endpoint, Endpoint::kPage);
  EXPECT_EQ(find_route("HEAD", "/docs").endpoint, Endpoint::kDocs);
  EXPECT_EQ(find_route("POST", "/predict").endpoint, Endpoint::kPredict);
  EXPECT_EQ(find_route("GET", "/v2/health/live").endpoint, Endpoint::kLive);
  const Route infer = find_route("POST", "/v2/models/my model/infer");
  EXPECT_EQ(infer.endpoint, Endpoint::kInfer);
  EXPECT_EQ(infer.model, "my model");
  EXPECT_EQ(find_route("GET", "/v2/models/m").endpoint, Endpoint::kModelMetadata);
  EXPECT_EQ(find_route("GET", "/v2/models/m/ready").endpoint, Endpoint::kModelReady);
}

TEST(Routes, AnythingElseIsRefused) {
  for (const char* path : {"", "//", "/x", "/docs/", "/../etc/passwd", "/page.js/..", "/v2/models/",
                           "/v2/models//infer", "/v2/models/m/n", "/v2/models/../infer/x"})
    EXPECT_EQ(status_of([&] { find_route("GET", path); }), 404) << path;
  EXPECT_EQ(status_of([] { find_route("GET", "/predict"); }, "POST"), 405);
  EXPECT_EQ(status_of([] { find_route("DELETE", "/"); }, "GET"), 405);
  EXPECT_EQ(allowed_method("/predict"), "POST");
  EXPECT_EQ(allowed_method("/x"), "");
}

TEST(Routes, PagesAndHealthAreOpen) {
  for (const char* path : {"/", "/page.js", "/page.css", "/docs", "/openapi.json",
                           "/v2/health/live", "/v2/health/ready", "/v2/models/m/ready"})
    EXPECT_FALSE(find_route("GET", path).needs_token()) << path;
  for (const char* path : {"/metrics", "/models", "/v2", "/v2/models/m"})
    EXPECT_TRUE(find_route("GET", path).needs_token()) << path;
  EXPECT_TRUE(find_route("POST", "/predict").needs_token());
  EXPECT_TRUE(find_route("POST", "/v2/models/m/infer").needs_token());
}

}  // namespace
}  // namespace muster::server
