// Which path leads where, by which method.
#pragma once

#include <string>

namespace muster::server {

enum class Endpoint {
  kPage,
  kPageScript,
  kPageStyle,
  kDocs,
  kOpenApi,
  kMetrics,
  kModels,
  kServerMetadata,
  kLive,
  kReady,
  kModelMetadata,
  kModelReady,
  kPredict,
  kInfer,
};

struct Route {
  Endpoint endpoint = Endpoint::kPage;
  std::string model;  // that the path names; "" if it names none

  // Whether the work is done by a worker; anything else is answered at once.
  bool is_work() const { return endpoint == Endpoint::kPredict || endpoint == Endpoint::kInfer; }
  // Pages, health and the description of the interface are open to all.
  bool needs_token() const;
  // For logs and metrics.
  const char* name() const;
};

// Throws 404 for an unknown path and 405 for another method than the path's; HEAD counts as GET.
Route find_route(const std::string& method, const std::string& path);

// The method that the path takes, for the header Allow; "" for an unknown path.
std::string allowed_method(const std::string& path);

}  // namespace muster::server
