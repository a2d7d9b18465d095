#include "server/multipart.h"

#include "server/test_support.h"

namespace muster::server {
namespace {

const std::string kTwo =
    "--b\r\nContent-Disposition: form-data; name=\"a\"; filename=\"one.jpg\"\r\n"
    "Content-Type: image/jpeg\r\n\r\nfirst\r\n"
    "--b\r\ncontent-disposition: form-data; name=second\r\n\r\n\r\n--b--\r\n";

TEST(Multipart, PartsAreViewsInOrder) {
  const std::vector<Part> parts = parse_multipart(kTwo, "b", 2);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].name, "a");
  EXPECT_EQ(parts[0].file_name, "one.jpg");
  EXPECT_EQ(parts[0].body, "first");
  EXPECT_EQ(parts[0].body.data(), kTwo.data() + kTwo.find("first"));
  EXPECT_EQ(parts[1].name, "second");
  EXPECT_EQ(parts[1].file_name, "");
  EXPECT_EQ(parts[1].body, "");
}

TEST(Multipart, APreambleAndAnEpilogueArePassedOver) {
  EXPECT_EQ(parse_multipart("hello\r\n" + kTwo + "more", "b", 9).size(), 2u);
  EXPECT_EQ(parse_multipart("--b--", "b", 9).size(), 0u);
}

TEST(Multipart, EveryBodyThatIsCutShortIsRefused) {
  const size_t whole = kTwo.rfind("--") + 2;  // the line end after it may be missing
  for (size_t length = 0; length < whole; ++length) {
    EXPECT_EQ(status_of([&] { parse_multipart(kTwo.substr(0, length), "b", 9); }, "multipart body"),
              400)
        << length;
  }
  EXPECT_EQ(parse_multipart(kTwo.substr(0, whole), "b", 9).size(), 2u);
}

TEST(Multipart, MalformedBodiesAreRefused) {
  const auto status = [](const std::string& body, const std::string& part) {
    return status_of([&] { parse_multipart(body, "b", 1); }, part);
  };
  EXPECT_EQ(status(kTwo, "more than 1 parts"), 413);
  EXPECT_EQ(status("nothing", "does not hold its boundary"), 400);
  EXPECT_EQ(status("--bother\r\n\r\n\r\n--b--", "line end"), 400);
  EXPECT_EQ(status("--b\r\n\r\nx\r\n--b--", "no Content-Disposition"), 400);
  EXPECT_EQ(status("--b\r\nno colon\r\n\r\nx\r\n--b--", "without a colon"), 400);
  EXPECT_EQ(status("--b\r\nContent-Disposition: attachment\r\n\r\nx\r\n--b--", "not form-data"),
            400);
  EXPECT_EQ(status("--b\r\nX: " + std::string(10000, 'x') + "\r\n\r\nx\r\n--b--", "do not end"),
            400);
}

TEST(Multipart, TheBoundaryComesFromTheHeader) {
  EXPECT_EQ(multipart_boundary("multipart/form-data; boundary=\"x y\""), "x y");
  EXPECT_EQ(status_of([] { multipart_boundary("multipart/mixed; boundary=x"); }, "form-data"), 415);
  EXPECT_EQ(status_of([] { multipart_boundary("multipart/form-data"); }, "boundary"), 400);
  EXPECT_EQ(
      status_of([] { multipart_boundary("multipart/form-data; boundary=" + std::string(71, 'x')); },
                "boundary"),
      400);
}

RC_GTEST_PROP(Multipart, WhatIsPutTogetherComesApart, (const std::vector<std::string>& bodies)) {
  const std::string boundary = "----muster-of-a-length-that-nobody-draws";
  std::string text;
  for (const std::string& body : bodies)
    text +=
        "--" + boundary + "\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n" + body + "\r\n";
  text += "--" + boundary + "--\r\n";
  const std::vector<Part> parts = parse_multipart(text, boundary, bodies.size());
  RC_ASSERT(parts.size() == bodies.size());
  for (size_t i = 0; i < parts.size(); ++i) RC_ASSERT(parts[i].body == bodies[i]);
}

}  // namespace
}  // namespace muster::server
