// The open connections and how long each may take for what it does now. The HTTP library ends a
// connection that is silent; one that sends a byte now and then is ended by this.
#pragma once

#include <chrono>
#include <list>
#include <mutex>
#include <string>

namespace muster::server {

// Sends an error past the HTTP library, which cannot answer while a body comes in, and shuts the
// socket, so that the library sees its end. What the socket does not take at once is lost.
void refuse_socket(int socket, int status, const std::string& message);

class Connections {
 public:
  using Clock = std::chrono::steady_clock;

  enum class Phase { kHeaders, kBody, kWork };
  struct Connection {
    int socket = -1;
    Phase phase = Phase::kHeaders;
    Clock::time_point deadline;
    int refused = 0;  // the status that refuse_socket sent; 0 for none
  };
  using Handle = std::list<Connection>::iterator;

  // How long the next request's headers may take, waiting for the first byte included.
  explicit Connections(std::chrono::seconds header_time) : header_time_(header_time) {}

  Handle open(int socket);
  // To be called before the socket is closed.
  void close(Handle connection);
  size_t size() const;

  void set_phase(Handle connection, Phase phase, Clock::time_point deadline = {});
  // The next request may begin.
  void await_request(Handle connection);
  // Answers with an error while a body comes in.
  void refuse(Handle connection, int status, const std::string& message);
  int refused(Handle connection) const;

  // Shuts the connections whose time is up: headers without a word, bodies with 408.
  void expire();

 private:
  const std::chrono::seconds header_time_;
  mutable std::mutex mutex_;
  std::list<Connection> connections_;
};

}  // namespace muster::server
