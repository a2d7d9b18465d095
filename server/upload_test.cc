#include "server/upload.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace muster::server {
namespace {

// Bytes that tell their place.
std::string body_of(size_t bytes) {
  std::string out(bytes, '\0');
  for (size_t i = 0; i < bytes; ++i) out[i] = static_cast<char>(i % 251);
  return out;
}

Upload arrived(const std::string& body, size_t piece) {
  Upload upload;
  upload.expect(body.size());
  for (size_t at = 0; at < body.size(); at += piece)
    upload.append(std::string_view(body).substr(at, piece));
  return upload;
}

TEST(Upload, ComesBackAsItWas) {
  for (const size_t bytes : {0, 1, 262'143, 262'144, 262'145, 524'289, 3'000'000})
    for (const size_t piece : {1000, 32'768, 300'000})
      EXPECT_EQ(arrived(body_of(bytes), piece).take(), body_of(bytes))
          << bytes << " bytes in pieces of " << piece;
}

TEST(Upload, IsEmptyOnceTaken) {
  Upload upload = arrived(body_of(600'000), 32'768);
  upload.take();
  EXPECT_EQ(upload.take(), "");
  upload.append("next");
  EXPECT_EQ(upload.take(), "next");
}

TEST(Upload, StaysInMemoryIfNoFileCanBeMade) {
  const char* before = std::getenv("TMPDIR");
  const std::string folder = before ? before : "";
  ::setenv("TMPDIR", "/no/such/folder", 1);
  EXPECT_EQ(arrived(body_of(1'000'000), 32'768).take(), body_of(1'000'000));
  before ? ::setenv("TMPDIR", folder.c_str(), 1) : ::unsetenv("TMPDIR");
}

}  // namespace
}  // namespace muster::server
