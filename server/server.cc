#include "server/server.h"

#include <fmt/format.h>
#include <netdb.h>
#include <unistd.h>

#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <thread>

#include "muster/muster.h"
#include "server/log.h"

namespace muster::server {
namespace {

// For the headers of a request and of its answer; a body passes through it in pieces.
constexpr size_t kConnectionBytes = 32 * 1024;
// That a connection may be idle before the headers of its next request, beyond the time of a body:
// 75 s in all by default, longer than proxies keep theirs (nginx: 60 s).
constexpr std::chrono::seconds kIdleTime{15};
constexpr size_t kMostEventStreams = 64;
constexpr std::chrono::seconds kKeepAliveTime{15};
// A client that gave up; as nginx logs it.
constexpr int kClientGone = 499;

double milliseconds_between(std::chrono::steady_clock::time_point begin,
                            std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double, std::milli>(end - begin).count();
}

std::string header(MHD_Connection* connection, const char* name) {
  const char* value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
  return value ? value : "";
}

MHD_Result keep_argument(void* query, MHD_ValueKind, const char* key, const char* value) {
  static_cast<std::map<std::string, std::string>*>(query)->insert_or_assign(key,
                                                                            value ? value : "");
  return MHD_YES;
}

std::string address_of(MHD_Connection* connection) {
  const MHD_ConnectionInfo* info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  char host[NI_MAXHOST] = "";
  if (info && info->client_addr)
    ::getnameinfo(
        info->client_addr,
        info->client_addr->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6), host,
        sizeof host, nullptr, 0, NI_NUMERICHOST);
  return host;
}

// As the request's headers announce it; the library has refused anything that is not a number.
size_t announced_bytes(MHD_Connection* connection) {
  const std::string text = header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
  size_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return error == std::errc::result_out_of_range ? SIZE_MAX : bytes;
}

std::string too_large(size_t max_bytes) {
  return fmt::format("the body is larger than the {} MiB allowed", max_bytes >> 20);
}

}  // namespace

// One request and its answer.
struct Server::Exchange {
  MHD_Connection* mhd = nullptr;
  Connections::Handle connection;
  Request request;
  Upload upload;  // the request's body until a worker takes it
  std::optional<Handler::Task> task;
  std::optional<Reply> reply;
  std::stop_source stop;
  Clock::time_point begun = Clock::now(), received = begun, picked_up = begun;
  size_t body_bytes = 0;
  bool worked_on = false;
  std::string model;
  size_t items = 0;
};

Server::Server(Handler& handler, Metrics& metrics, const ServerOptions& options)
    : handler_(handler),
      metrics_(metrics),
      options_(options),
      connections_(options.timeout + kIdleTime),
      events_(kMostEventStreams),
      queue_(options.threads, options.queue) {
  // Silence that the deadlines do not cover: a client that does not read its answer.
  const auto silence = static_cast<unsigned>((options.timeout + 2 * kIdleTime).count());
  daemon_ = MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, nullptr,
      nullptr, &Server::on_request, this, MHD_OPTION_EXTERNAL_LOGGER, &Server::on_library_message,
      nullptr, MHD_OPTION_LISTEN_SOCKET, options.socket, MHD_OPTION_CONNECTION_LIMIT,
      options.max_connections, MHD_OPTION_CONNECTION_TIMEOUT, silence,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, kConnectionBytes, MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_NOTIFY_COMPLETED, &Server::on_completed, this, MHD_OPTION_NOTIFY_CONNECTION,
      &Server::on_connection, this, MHD_OPTION_END);
  if (!daemon_) throw Error(ErrorKind::kRuntime, "the HTTP server cannot be started");
}

Server::~Server() {
  hurry_ = true;
  if_possible([&] { events_.close(); });
  queue_.finish();  // all connections that sleep are awake then, as the library wants
  MHD_stop_daemon(daemon_);
}

void Server::on_library_message(void*, const char* format, va_list arguments) {
  char text[1000];
  std::vsnprintf(text, sizeof text, format, arguments);
  if_possible([&] {
    std::string message = text;
    while (message.ends_with('\n')) message.pop_back();
    log_event("http", {{"message", message}});
  });
}

void Server::on_connection(void* self, MHD_Connection* connection, void** handle,
                           MHD_ConnectionNotificationCode code) {
  auto& connections = static_cast<Server*>(self)->connections_;
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    const int socket =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    *handle = nullptr;
    if_possible([&] {
      auto owned = std::make_unique<Connections::Handle>();
      *owned = connections.open(socket);
      *handle = owned.release();
    });
  } else if (*handle) {
    const std::unique_ptr<Connections::Handle> owned(static_cast<Connections::Handle*>(*handle));
    connections.close(*owned);
  }
}

MHD_Result Server::on_request(void* self, MHD_Connection* connection, const char* url,
                              const char* method, const char*, const char* data, size_t* data_size,
                              void** exchange) {
  auto& server = *static_cast<Server*>(self);
  try {
    if (*exchange == nullptr) {
      const void* handle =
          MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
      if (!handle) return MHD_NO;  // there was no memory for it
      auto fresh = std::make_unique<Exchange>();
      fresh->mhd = connection;
      fresh->connection = *static_cast<const Connections::Handle*>(handle);
      *exchange = fresh.release();
      ++server.in_flight_;
      return server.begin(*static_cast<Exchange*>(*exchange), url, method);
    }
    auto& known = *static_cast<Exchange*>(*exchange);
    if (*data_size > 0) {
      const std::string_view piece(data, *data_size);
      *data_size = 0;
      return server.take_body(known, piece);
    }
    return server.finish(known);
  } catch (const std::exception& error) {
    if_possible([&] { log_event("failure", {{"message", error.what()}}); });
    return MHD_NO;
  }
}

// The headers are there: whatever is wrong with them is answered before the body is read.
MHD_Result Server::begin(Exchange& exchange, const char* url, const char* method) {
  Request& request = exchange.request;
  request.method = method;
  request.path = url;
  request.content_type = header(exchange.mhd, MHD_HTTP_HEADER_CONTENT_TYPE);
  request.content_encoding = header(exchange.mhd, MHD_HTTP_HEADER_CONTENT_ENCODING);
  request.authorization = header(exchange.mhd, MHD_HTTP_HEADER_AUTHORIZATION);
  request.host = header(exchange.mhd, MHD_HTTP_HEADER_HOST);
  request.origin = header(exchange.mhd, MHD_HTTP_HEADER_ORIGIN);
  request.fetch_site = header(exchange.mhd, "Sec-Fetch-Site");
  request.studio = header(exchange.mhd, "X-Muster-Studio");
  MHD_get_connection_values(exchange.mhd, MHD_GET_ARGUMENT_KIND, &keep_argument, &request.query);
  connections_.set_phase(exchange.connection, Connections::Phase::kBody,
                         exchange.begun + options_.timeout);
  try {
    exchange.task = handler_.begin(request);
    if (announced_bytes(exchange.mhd) > options_.max_body_bytes)
      throw HttpError(413, too_large(options_.max_body_bytes));
    if (exchange.task->how == How::kWork)  // a usual picture is not copied while it grows
      exchange.upload.expect(announced_bytes(exchange.mhd));
  } catch (const HttpError& error) {
    exchange.reply = error_reply(error.status(), error.what());
    if (error.status() == 405)
      exchange.reply->headers.emplace_back("Allow", handler_.allowed(request.path));
    return send(exchange);
  }
  return MHD_YES;
}

MHD_Result Server::take_body(Exchange& exchange, std::string_view data) {
  exchange.body_bytes += data.size();
  const size_t all = upload_bytes_ += data.size();
  if (exchange.body_bytes > options_.max_body_bytes) {
    connections_.refuse(exchange.connection, 413, too_large(options_.max_body_bytes));
    return MHD_NO;
  }
  if (all > options_.max_upload_bytes) {
    connections_.refuse(exchange.connection, 503, "too many uploads at once; come again");
    return MHD_NO;
  }
  if (exchange.task->how == How::kWork) exchange.upload.append(data);
  return MHD_YES;
}

// The request is there as a whole, or its work is done.
MHD_Result Server::finish(Exchange& exchange) {
  if (exchange.reply) return send(exchange);
  if (exchange.worked_on) return MHD_NO;  // there was no memory for a reply
  connections_.set_phase(exchange.connection, Connections::Phase::kWork);
  exchange.received = exchange.picked_up = Clock::now();
  if (exchange.task->how == How::kEvents) return send_events(exchange);
  if (exchange.task->how == How::kMetrics) {
    exchange.reply = Reply{200, "text/plain; version=0.0.4; charset=utf-8", metrics_text(), {}};
    return send(exchange);
  }
  if (exchange.task->how == How::kAtOnce) {
    exchange.reply = handler_.answer(exchange.request, !draining_);
    return send(exchange);
  }
  {
    const std::lock_guard lock(working_mutex_);
    working_.insert(&exchange);
  }
  MHD_suspend_connection(exchange.mhd);
  if (!queue_.push([this, &exchange] { work_on(exchange); })) {
    {
      const std::lock_guard lock(working_mutex_);
      working_.erase(&exchange);
    }
    exchange.reply = error_reply(429, "the server has too much to do; come again");
    MHD_resume_connection(exchange.mhd);
  }
  return MHD_YES;
}

// By a worker. The last line gives the exchange back to the thread of the sockets.
void Server::work_on(Exchange& exchange) {
  exchange.picked_up = Clock::now();
  exchange.worked_on = true;
  if_possible([&] {
    std::optional<Handler::Done> done = try_work(exchange);
    if (!done) return;
    exchange.reply = std::move(done->reply);
    exchange.model = done->model;
    exchange.items = done->predicted + done->failed;
    if (exchange.items > 0)
      metrics_.count_work(done->model, milliseconds_between(exchange.received, Clock::now()) / 1000,
                          done->predicted, done->failed);
  });
  exchange.request.body = std::string();  // {} would keep its memory
  upload_bytes_ -= std::exchange(exchange.body_bytes, 0);
  {
    const std::lock_guard lock(working_mutex_);
    working_.erase(&exchange);
  }
  MHD_resume_connection(exchange.mhd);
}

// None if it failed; the exchange has its reply then.
std::optional<Handler::Done> Server::try_work(Exchange& exchange) {
  try {
    if (hurry_) throw HttpError(503, "the server is stopping");
    if (exchange.picked_up > exchange.received + options_.timeout)
      throw HttpError(503, "the request waited too long for its turn; come again");
    exchange.request.body = exchange.upload.take();
    return handler_.work(exchange.request, exchange.stop.get_token());
  } catch (const HttpError& error) {
    exchange.reply = error_reply(error.status(), error.what());
  } catch (const std::exception& error) {
    log_event("failure", {{"message", error.what()}});
    exchange.reply = error_reply(500, "the server failed; its log says why");
  }
  return std::nullopt;
}

MHD_Result Server::send(Exchange& exchange) {
  Reply& reply = *exchange.reply;
  MHD_Response* response =
      MHD_create_response_from_buffer(reply.body.size(), reply.body.data(), MHD_RESPMEM_MUST_COPY);
  if (!response) return MHD_NO;
  MHD_add_response_header(response, "Content-Type", reply.content_type.c_str());
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  bool cached = false;
  for (const auto& [name, value] : reply.headers) {
    MHD_add_response_header(response, name.c_str(), value.c_str());
    cached |= name == "Cache-Control";
  }
  if (!cached) MHD_add_response_header(response, "Cache-Control", "no-store");
  if (draining_) MHD_add_response_header(response, "Connection", "close");
  const MHD_Result result =
      MHD_queue_response(exchange.mhd, static_cast<unsigned>(reply.status), response);
  MHD_destroy_response(response);
  return result;
}

MHD_Result Server::send_events(Exchange& exchange) {
  MHD_Response* response = events_.open(exchange.mhd);
  exchange.reply = response ? Reply{} : error_reply(503, "too many pages are open; close some");
  if (!response) return send(exchange);
  const MHD_Result result = MHD_queue_response(exchange.mhd, MHD_HTTP_OK, response);
  MHD_destroy_response(response);
  return result;
}

void Server::on_completed(void* self, MHD_Connection*, void** exchange,
                          MHD_RequestTerminationCode code) {
  auto& server = *static_cast<Server*>(self);
  const std::unique_ptr<Exchange> owned(static_cast<Exchange*>(*exchange));
  *exchange = nullptr;
  if (!owned) return;
  int status = server.connections_.refused(owned->connection);
  if (status == 0)
    status = code == MHD_REQUEST_TERMINATED_COMPLETED_OK && owned->reply ? owned->reply->status
                                                                         : kClientGone;
  server.upload_bytes_ -= owned->body_bytes;
  if_possible([&] {
    server.metrics_.count_request(owned->task ? owned->task->name : "none", status);
    if (server.options_.log_requests) server.log_request(*owned, status);
  });
  server.connections_.await_request(owned->connection);
  --server.in_flight_;
}

void Server::log_request(const Exchange& exchange, int status) const {
  nlohmann::ordered_json line{{"client", address_of(exchange.mhd)},
                              {"method", exchange.request.method},
                              {"path", exchange.request.path},
                              {"status", status},
                              {"ms", milliseconds_between(exchange.begun, Clock::now())}};
  if (exchange.reply) line["bytes"] = exchange.reply->body.size();
  if (exchange.items > 0) {
    line["model"] = exchange.model;
    line["items"] = exchange.items;
    line["upload_ms"] = milliseconds_between(exchange.begun, exchange.received);
    line["wait_ms"] = milliseconds_between(exchange.received, exchange.picked_up);
  }
  log_event("request", line);
}

std::string Server::metrics_text() {
  Metrics::Now now;
  now.waiting = queue_.waiting();
  now.queue_capacity = queue_.capacity();
  now.in_flight = in_flight_;
  now.connections = connections_.size();
  now.upload_bytes = upload_bytes_;
  return metrics_.text(now);
}

void Server::stop_work(Clock::time_point begun_before) {
  const std::lock_guard lock(working_mutex_);
  for (Exchange* exchange : working_)
    if (exchange->received <= begun_before) exchange->stop.request_stop();
}

void Server::tick() {
  connections_.expire();
  stop_work(Clock::now() - options_.timeout);
  if (Clock::now() < kept_alive_ + kKeepAliveTime) return;
  events_.keep_alive();
  kept_alive_ = Clock::now();
}

void Server::drain(std::chrono::seconds most) {
  using namespace std::chrono_literals;
  draining_ = true;
  events_.close();
  if (const int socket = MHD_quiesce_daemon(daemon_); socket >= 0) ::close(socket);
  const Clock::time_point end = Clock::now() + most;
  // A request may be on its way on a connection that is open.
  int quiet = 0;
  while (quiet < 10 && Clock::now() < end) {
    std::this_thread::sleep_for(20ms);
    quiet = in_flight_ == 0 ? quiet + 1 : 0;
    tick();
  }
  hurry_ = true;
  stop_work(Clock::now());
}

}  // namespace muster::server
