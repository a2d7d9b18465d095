#include "server/studio/guard.h"

#include <string_view>

namespace muster::server {
namespace {

// Any port: it differs behind `ssh -L`.
bool is_this_machine(std::string_view host) {
  const bool brackets = host.starts_with('[');
  const size_t end = brackets ? host.find(']') : host.find(':');
  const std::string_view name =
      host.substr(0, end == std::string_view::npos ? end : end + brackets);
  return name == "localhost" || name == "127.0.0.1" || name == "[::1]";
}

}  // namespace

void refuse_foreign_host(const Request& request) {
  if (!is_this_machine(request.host))
    throw HttpError(403, "the studio answers to http://127.0.0.1 and http://localhost only");
}

void refuse_foreign_page(const Request& request) {
  refuse_foreign_host(request);
  const bool own_site = request.fetch_site.empty() || request.fetch_site == "same-origin" ||
                        request.fetch_site == "none";
  const bool own_origin = request.origin.empty() || request.origin == "http://" + request.host;
  if (!own_site || !own_origin)
    throw HttpError(403, "a page of another site may not use the studio");
  if (request.method == "POST" && request.studio != "1")
    throw HttpError(403, "a POST needs the header 'X-Muster-Studio: 1'");
}

}  // namespace muster::server
