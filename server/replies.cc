#include "server/replies.h"

#include <nlohmann/json.hpp>

#include "server/log.h"

namespace muster::server {
namespace {

constexpr const char* kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

}  // namespace

Reply json_reply(const nlohmann::ordered_json& value) {
  Reply reply;
  reply.body = dump(value) + "\n";
  return reply;
}

Reply page_reply(const char* content_type, std::string_view body) {
  Reply reply{200, content_type, std::string(body)};
  reply.headers.emplace_back("Content-Security-Policy", kPagePolicy);
  return reply;
}

int status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kData:
      return 422;
    case ErrorKind::kUsage:
      return 400;
    case ErrorKind::kCancelled:
      return 503;
    case ErrorKind::kRuntime:
      break;
  }
  return 500;
}

}  // namespace muster::server
