#include "server/http.h"

namespace muster::server {
namespace {

TEST(Http, MediaTypesAreWithoutParametersAndCase) {
  EXPECT_EQ(media_type("Image/PNG"), "image/png");
  EXPECT_EQ(media_type("  multipart/form-data ; boundary=x"), "multipart/form-data");
  EXPECT_EQ(media_type(""), "");
}

TEST(Http, ParametersAreFoundQuotedOrNot) {
  EXPECT_EQ(header_parameter("multipart/form-data; boundary=abc", "boundary"), "abc");
  EXPECT_EQ(header_parameter("a/b; x=1; Boundary = \"a b;c\" ; y=2", "boundary"), "a b;c");
  EXPECT_EQ(header_parameter("form-data; name=\"a\"; filename=\"b\\\"c.jpg\"", "filename"),
            "b\"c.jpg");
  EXPECT_EQ(header_parameter("form-data; filename=\"C:\\x.jpg\"", "filename"), "C:\\x.jpg");
  EXPECT_EQ(header_parameter("form-data; filename=\"without end", "filename"), "without end");
  EXPECT_EQ(header_parameter("form-data; filename=\"a", "name"), "");
  EXPECT_EQ(header_parameter("form-data; name", "name"), "");
  EXPECT_EQ(header_parameter("form-data;;;name=x", "name"), "x");
  EXPECT_EQ(header_parameter("form-data", "name"), "");
}

TEST(Http, ErrorsAreJsonOfBoundedLength) {
  EXPECT_EQ(error_reply(400, "a \"b\" <i>").body, "{\"error\":\"a \\\"b\\\" <i>\"}\n");
  EXPECT_LT(error_reply(400, std::string(100000, 'x')).body.size(), 1100u);
  EXPECT_NO_THROW(error_reply(400, "not UTF-8: \xff\xfe"));
  ASSERT_EQ(error_reply(429, "").headers.size(), 1u);
  EXPECT_EQ(error_reply(429, "").headers[0].first, "Retry-After");
  EXPECT_TRUE(error_reply(404, "").headers.empty());
}

}  // namespace
}  // namespace muster::server
