// Who answers the requests that a Server takes: models (service.h), or the studio.
#pragma once

#include <stop_token>
#include <string>

#include "server/http.h"

namespace muster::server {

// How a request is answered.
enum class How {
  kAtOnce,   // by the thread of the sockets
  kMetrics,  // by the server itself
  kWork,     // by a worker; its body is kept
  kEvents,   // by a stream of what Server::publish() is told
};

class Handler {
 public:
  virtual ~Handler() = default;

  struct Task {
    const char* name;  // for logs and metrics
    How how;
  };
  // Before the body is read. Throws an HttpError for a request that is refused for its path or its
  // headers; 405 for another method than the path's.
  virtual Task begin(const Request& request) const = 0;
  // The method that the path takes, for the header Allow; "" for an unknown path.
  virtual std::string allowed(const std::string& path) const = 0;

  // Requests that are answered at once. `ready` says whether new work is taken.
  virtual Reply answer(const Request& request, bool ready) = 0;

  // What a worker did.
  struct Done {
    Reply reply;
    std::string model = {};  // that predicted, if any did
    size_t predicted = 0, failed = 0;
  };
  // Uses the calling thread only, and is called by several at once; a stop request ends it soon
  // with 503. Throws HttpError.
  virtual Done work(const Request& request, std::stop_token stop) = 0;
};

}  // namespace muster::server
