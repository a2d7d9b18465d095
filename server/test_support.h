// What several tests of the server share.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "server/http.h"

namespace muster::server {

// The status of the HttpError that `call` throws, whose message must hold `part`; 0 if it throws
// none.
template <class Call>
int status_of(const Call& call, const std::string& part = "") {
  try {
    call();
  } catch (const HttpError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    return error.status();
  }
  return 0;
}

}  // namespace muster::server
