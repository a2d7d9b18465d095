// HTTP by libmicrohttpd: one thread reads and writes all sockets, a request that is complete waits
// in a bounded queue for a worker, and its connection sleeps until then. Whatever a client does
// costs bounded memory and time: every phase of a request has a deadline, and bodies a budget.
#pragma once

#include <microhttpd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "server/connections.h"
#include "server/event_streams.h"
#include "server/handler.h"
#include "server/metrics.h"
#include "server/upload.h"
#include "server/work_queue.h"

namespace muster::server {

struct ServerOptions {
  int socket = -1;  // that listens already; the server closes it
  int threads = 1;
  size_t queue = 64;  // requests that may wait for a worker
  size_t max_body_bytes = size_t{32} << 20;
  size_t max_upload_bytes = size_t{256} << 20;  // of all bodies together
  unsigned max_connections = 1000;
  std::chrono::seconds timeout{60};  // to send a body, and again to work on it
  bool log_requests = true;
};

class Server {
 public:
  // Begins to serve. A failure of the library is a runtime error.
  Server(Handler& handler, Metrics& metrics, const ServerOptions& options);
  // Answers what a worker has begun, and drops the rest.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Ends what took too long. To be called a few times per second.
  void tick();
  // Tells all that listen to events; see EventStreams::publish.
  void publish(const std::string& data) { events_.publish(data); }
  // Takes no new connections and waits until all requests are answered, at most for so long.
  void drain(std::chrono::seconds most);

 private:
  using Clock = std::chrono::steady_clock;
  struct Exchange;

  // Callbacks of the library; `self` is the server.
  static MHD_Result on_request(void* self, MHD_Connection* connection, const char* url,
                               const char* method, const char* version, const char* data,
                               size_t* data_size, void** exchange);
  static void on_completed(void* self, MHD_Connection* connection, void** exchange,
                           MHD_RequestTerminationCode code);
  static void on_connection(void* self, MHD_Connection* connection, void** handle,
                            MHD_ConnectionNotificationCode code);
  static void on_library_message(void*, const char* format, va_list arguments);

  MHD_Result begin(Exchange& exchange, const char* url, const char* method);
  MHD_Result take_body(Exchange& exchange, std::string_view data);
  MHD_Result finish(Exchange& exchange);
  MHD_Result send(Exchange& exchange);
  MHD_Result send_events(Exchange& exchange);
  void work_on(Exchange& exchange);
  std::optional<Handler::Done> try_work(Exchange& exchange);
  std::string metrics_text();
  void log_request(const Exchange& exchange, int status) const;
  void stop_work(Clock::time_point begun_before);

  Handler& handler_;
  Metrics& metrics_;
  const ServerOptions options_;
  Connections connections_;
  EventStreams events_;
  Clock::time_point kept_alive_ = Clock::now();
  std::atomic<bool> draining_ = false, hurry_ = false;
  std::atomic<size_t> in_flight_ = 0, upload_bytes_ = 0;
  std::mutex working_mutex_;
  std::set<Exchange*> working_;  // in the queue or with a worker
  WorkQueue queue_;
  MHD_Daemon* daemon_ = nullptr;
};

}  // namespace muster::server
