#include "server/connections.h"

#include <fmt/format.h>
#include <microhttpd.h>
#include <sys/socket.h>

#include "server/http.h"

namespace muster::server {

void refuse_socket(int socket, int status, const std::string& message) {
  const Reply reply = error_reply(status, message);
  std::string text = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n", status,
      MHD_get_reason_phrase_for(static_cast<unsigned>(status)), reply.content_type,
      reply.body.size());
  for (const auto& [name, value] : reply.headers) text += fmt::format("{}: {}\r\n", name, value);
  text += "\r\n" + reply.body;
  [[maybe_unused]] const ssize_t sent =
      ::send(socket, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  ::shutdown(socket, SHUT_RDWR);
}

Connections::Handle Connections::open(int socket) {
  const std::lock_guard lock(mutex_);
  return connections_.insert(connections_.end(),
                             {socket, Phase::kHeaders, Clock::now() + header_time_});
}

void Connections::close(Handle connection) {
  const std::lock_guard lock(mutex_);
  connections_.erase(connection);
}

size_t Connections::size() const {
  const std::lock_guard lock(mutex_);
  return connections_.size();
}

void Connections::set_phase(Handle connection, Phase phase, Clock::time_point deadline) {
  const std::lock_guard lock(mutex_);
  connection->phase = phase;
  connection->deadline = deadline;
}

void Connections::await_request(Handle connection) {
  set_phase(connection, Phase::kHeaders, Clock::now() + header_time_);
}

void Connections::refuse(Handle connection, int status, const std::string& message) {
  const std::lock_guard lock(mutex_);
  if (connection->refused != 0) return;
  connection->refused = status;
  refuse_socket(connection->socket, status, message);
}

int Connections::refused(Handle connection) const {
  const std::lock_guard lock(mutex_);
  return connection->refused;
}

void Connections::expire() {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  for (Connection& one : connections_) {
    if (one.phase == Phase::kWork || one.refused != 0 || now < one.deadline) continue;
    one.refused = 408;
    if (one.phase == Phase::kBody)
      refuse_socket(one.socket, 408, "the body did not arrive in time");
    else
      ::shutdown(one.socket, SHUT_RDWR);
  }
}

}  // namespace muster::server
