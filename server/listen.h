// The socket that the server listens on.
#pragma once

#include <string>

namespace muster::server {

struct Listener {
  int socket = -1;
  std::string url;        // http://127.0.0.1:8080/
  bool loopback = false;  // whether only this machine can reach it
};

// `host` is an IP address or a name; port 0 takes any that is free. An address that cannot be used
// is a usage error, one that is taken a runtime error.
Listener listen_on(const std::string& host, int port);

}  // namespace muster::server
