#include "server/base64.h"

namespace muster::server {
namespace {

TEST(Base64, TheExamplesOfTheStandard) {  // RFC 4648, section 10
  const std::pair<const char*, const char*> examples[] = {{"", ""},
                                                          {"f", "Zg=="},
                                                          {"fo", "Zm8="},
                                                          {"foo", "Zm9v"},
                                                          {"foob", "Zm9vYg=="},
                                                          {"fooba", "Zm9vYmE="},
                                                          {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : examples) {
    EXPECT_EQ(encode_base64(bytes), text);
    EXPECT_EQ(decode_base64(text), bytes);
  }
  EXPECT_EQ(decode_base64("Zm9vYg"), "foob");  // without padding
}

TEST(Base64, WhatIsNotBase64IsNone) {
  for (const char* text :
       {"Z", "Zm9vY", "Zm9v!mFy", "Zg= =", "P2 1 1 255", "Zg==Zg==", "=", "===="})
    EXPECT_FALSE(decode_base64(text)) << text;
}

RC_GTEST_PROP(Base64, DecodingUndoesEncoding, (const std::string& bytes)) {
  RC_ASSERT(decode_base64(encode_base64(bytes)) == bytes);
}

}  // namespace
}  // namespace muster::server
