// Replies that models and the studio have in common.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "muster/muster.h"
#include "server/http.h"

namespace muster::server {

Reply json_reply(const nlohmann::ordered_json& value);
// A page or what belongs to it: it may load nothing from elsewhere, and be framed by nobody.
Reply page_reply(const char* content_type, std::string_view body);
// For an error of the library.
int status_of(ErrorKind kind);

}  // namespace muster::server
