// Server-sent events: each stream gets the latest news as soon as there are any. Only the latest
// are kept, so that a client that reads slowly misses some and costs nothing.
#pragma once

#include <microhttpd.h>

#include <cstdint>
#include <list>
#include <mutex>
#include <string>

namespace muster::server {

// Thread-safe.
class EventStreams {
 public:
  explicit EventStreams(size_t most) : most_(most) {}

  // The response for a connection; nullptr if there are too many streams, or they are closed.
  MHD_Response* open(MHD_Connection* connection);
  // `data` is one line. The same as before is no news.
  void publish(const std::string& data);
  // Sends a word that clients ignore, so that those who are gone are noticed.
  void keep_alive();
  // Ends all streams: a connection that sleeps keeps the HTTP library from stopping.
  void close();

 private:
  struct Stream {
    EventStreams* streams;
    MHD_Connection* connection;
    uint64_t seen = 0;  // number of the news sent last
    bool poked = false, asleep = false;
    std::string rest = {};  // still to be sent
  };
  static ssize_t read(void* stream, uint64_t position, char* buffer, size_t most);
  static void forget(void* stream);
  void wake_all(std::unique_lock<std::mutex> lock);

  const size_t most_;
  std::mutex mutex_;
  std::list<Stream> open_;
  std::string latest_;
  uint64_t number_ = 0;  // of the latest news; 0 before any
  bool closed_ = false;
};

}  // namespace muster::server
