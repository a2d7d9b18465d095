#include "server/routes.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "server/http.h"

namespace muster::server {
namespace {

struct Fixed {
  const char* path;
  Endpoint endpoint;
  const char* name;
  bool open;  // without a token
};

constexpr Fixed kFixed[] = {
    {"/", Endpoint::kPage, "page", true},
    {"/page.js", Endpoint::kPageScript, "page", true},
    {"/page.css", Endpoint::kPageStyle, "page", true},
    {"/docs", Endpoint::kDocs, "docs", true},
    {"/openapi.json", Endpoint::kOpenApi, "openapi", true},
    {"/metrics", Endpoint::kMetrics, "metrics", false},
    {"/models", Endpoint::kModels, "models", false},
    {"/predict", Endpoint::kPredict, "predict", false},
    {"/v2", Endpoint::kServerMetadata, "v2", false},
    {"/v2/health/live", Endpoint::kLive, "live", true},
    {"/v2/health/ready", Endpoint::kReady, "ready", true},
};
constexpr Fixed kOfModel[] = {
    {"", Endpoint::kModelMetadata, "model", false},
    {"/ready", Endpoint::kModelReady, "model-ready", true},
    {"/infer", Endpoint::kInfer, "infer", false},
};
constexpr std::string_view kModelPrefix = "/v2/models/";

const Fixed& entry_of(Endpoint endpoint) {
  for (const Fixed& one : kFixed)
    if (one.endpoint == endpoint) return one;
  for (const Fixed& one : kOfModel)
    if (one.endpoint == endpoint) return one;
  return kFixed[0];
}

std::optional<Route> match(std::string_view path) {
  for (const Fixed& one : kFixed)
    if (path == one.path) return Route{one.endpoint, ""};
  if (!path.starts_with(kModelPrefix)) return std::nullopt;
  path.remove_prefix(kModelPrefix.size());
  const size_t slash = std::min(path.find('/'), path.size());
  if (slash == 0) return std::nullopt;
  for (const Fixed& one : kOfModel)
    if (path.substr(slash) == one.path)
      return Route{one.endpoint, std::string(path.substr(0, slash))};
  return std::nullopt;
}

const char* method_of(const Route& route) { return route.is_work() ? "POST" : "GET"; }

}  // namespace

bool Route::needs_token() const { return !entry_of(endpoint).open; }

const char* Route::name() const { return entry_of(endpoint).name; }

std::string allowed_method(const std::string& path) {
  const std::optional<Route> route = match(path);
  return route ? method_of(*route) : "";
}

Route find_route(const std::string& method, const std::string& path) {
  const std::optional<Route> route = match(path);
  if (!route) throw HttpError(404, fmt::format("nothing is found at {}; see /docs", path));
  const std::string_view wanted = method_of(*route);
  if (method != wanted && !(method == "HEAD" && wanted == "GET"))
    throw HttpError(405, fmt::format("{} takes {}, not {}", path, wanted, method));
  return *route;
}

}  // namespace muster::server
