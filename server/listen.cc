#include "server/listen.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "muster/muster.h"

namespace muster::server {
namespace {

constexpr int kBacklog = 1024;

bool is_loopback(const sockaddr* address) {
  if (address->sa_family == AF_INET)
    return ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr) >> 24 == 127;
  return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
}

std::string url_of(int socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length);
  char host[NI_MAXHOST] = "", port[NI_MAXSERV] = "";
  ::getnameinfo(reinterpret_cast<sockaddr*>(&address), length, host, sizeof host, port, sizeof port,
                NI_NUMERICHOST | NI_NUMERICSERV);
  const bool brackets = address.ss_family == AF_INET6;
  return fmt::format("http://{}{}{}:{}/", brackets ? "[" : "", host, brackets ? "]" : "", port);
}

}  // namespace

Listener listen_on(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (const int code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found))
    throw Error(ErrorKind::kUsage,
                fmt::format("--host {}: {}; give an address of this machine, such as 127.0.0.1 or "
                            "0.0.0.0 for all",
                            host, ::gai_strerror(code)));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(found, &::freeaddrinfo);
  Listener out;
  out.socket = ::socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(out.socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (out.socket < 0 || ::bind(out.socket, found->ai_addr, found->ai_addrlen) != 0 ||
      ::listen(out.socket, kBacklog) != 0) {
    const int code = errno;
    if (out.socket >= 0) ::close(out.socket);
    throw Error(code == EADDRNOTAVAIL ? ErrorKind::kUsage : ErrorKind::kRuntime,
                fmt::format("{} port {}: {}; choose another with --host and --port", host, port,
                            std::strerror(code)));
  }
  out.url = url_of(out.socket);
  out.loopback = is_loopback(found->ai_addr);
  return out;
}

}  // namespace muster::server
