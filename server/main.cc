// muster-serve, which `muster serve` starts: a REST server for models. A program of its own,
// because its libraries would double what the command loads to start.
#include <fmt/format.h>
#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <fstream>
#include <thread>

#include "server/listen.h"
#include "server/log.h"
#include "server/server.h"

namespace muster::server {
namespace {

using namespace std::chrono_literals;

constexpr unsigned kMostConnections = 4096, kOtherFiles = 64;
constexpr int kReturnedBytes = 4 << 20;
constexpr size_t kUploadsAtOnce = 8;  // of the largest size, in memory together

struct Arguments {
  std::vector<std::filesystem::path> models;
  std::string host = "127.0.0.1", token_file;
  int port = 8080, threads = 0, max_mib = 32, max_parts = 64, queue = 64, timeout_s = 60,
      max_megapixels = 50;
  bool quiet = false;

  void add_to(CLI::App& app) {
    app.add_option("MODEL", models,
                   "models made by muster train, fuse or add-class; each is served under its "
                   "file's name without the extension")
        ->required();
    app.add_option("--port", port, "port to listen on; 0 takes one that is free")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    app.add_option("--host", host, "address to listen on; 0.0.0.0 for all of this machine's")
        ->capture_default_str();
    app.add_option("--threads", threads,
                   "requests that are worked on at the same time; 0 for one "
                   "per core")
        ->check(CLI::Range(0, 4096))
        ->capture_default_str();
    app.add_option("--max-mib", max_mib, "largest body of a request, in MiB")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    app.add_option("--max-parts", max_parts, "most items in one request")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    app.add_option("--max-megapixels", max_megapixels, "largest picture, in millions of pixels")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    app.add_option("--queue", queue, "requests that may wait for a thread; more are answered 429")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    app.add_option("--timeout", timeout_s,
                   "seconds that a client may take to send a request, and again that the request "
                   "may wait and be worked on")
        ->check(CLI::Range(1, 3600))
        ->capture_default_str();
    app.add_option("--token-file", token_file,
                   "file whose first line is a token; requests must carry it as "
                   "'Authorization: Bearer TOKEN'");
    app.add_flag("--quiet", quiet, "do not log requests");
  }
};

std::string read_token(const std::string& file) {
  if (file.empty()) return "";
  std::ifstream in(file);
  std::string token;
  if (!in || !std::getline(in, token))
    throw Error(ErrorKind::kData,
                fmt::format("--token-file {}: cannot be read, or is empty", file));
  while (!token.empty() && std::isspace(static_cast<unsigned char>(token.back()))) token.pop_back();
  if (token.size() < 8)
    throw Error(ErrorKind::kData,
                fmt::format("--token-file {}: its first line has {} characters; a token needs 8 or "
                            "more, such as `openssl rand -hex 32` prints",
                            file, token.size()));
  return token;
}

// As many as the system lets us open, up to what we want.
unsigned connections_allowed() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t wanted = kMostConnections + kOtherFiles;
  if (limit.rlim_cur < wanted) {
    limit.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &limit);
    ::getrlimit(RLIMIT_NOFILE, &limit);
  }
  const rlim_t usable =
      limit.rlim_cur > 2 * kOtherFiles ? limit.rlim_cur - kOtherFiles : kOtherFiles;
  return static_cast<unsigned>(std::min<rlim_t>(kMostConnections, usable));
}

ServerOptions server_options(const Arguments& args, int socket) {
  ServerOptions options;
  options.socket = socket;
  options.threads = args.threads > 0
                        ? args.threads
                        : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  options.queue = static_cast<size_t>(args.queue);
  options.max_body_bytes = static_cast<size_t>(args.max_mib) << 20;
  options.max_upload_bytes = kUploadsAtOnce * options.max_body_bytes;
  options.max_connections = connections_allowed();
  options.timeout = std::chrono::seconds(args.timeout_s);
  options.log_requests = !args.quiet;
  return options;
}

void reload(Models& models, Metrics& metrics, bool all) {
  for (const Models::Change& change : models.reload(all)) {
    metrics.count_reload(change.name, change.error.empty());
    if (change.error.empty())
      log_event("model loaded", {{"model", change.name}, {"file", change.path}});
    else
      log_event("model kept", {{"model", change.name}, {"error", change.error}});
  }
}

// Until a signal asks to end.
void serve_until_signal(Server& server, Models& models, Metrics& metrics, const sigset_t& signals) {
  constexpr timespec kTick{0, 250'000'000};
  for (unsigned tick = 0;; ++tick) {
    const int signal = ::sigtimedwait(&signals, nullptr, &kTick);
    if (signal == SIGTERM || signal == SIGINT) return;
    server.tick();
    if (signal == SIGHUP || tick % 4 == 0) reload(models, metrics, signal == SIGHUP);
  }
}

int serve(const Arguments& args) {
  sigset_t signals;  // blocked before any thread begins, so that all inherit it
  ::sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&signals, signal);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  // Large bodies and pictures go back to the system when they are done with. Left to itself, malloc
  // keeps as much as the largest of them took.
  ::mallopt(M_MMAP_THRESHOLD, kReturnedBytes);

  Models models(args.models);
  Metrics metrics;
  const Service service(models, {read_token(args.token_file), static_cast<size_t>(args.max_parts),
                                 static_cast<uint64_t>(args.max_megapixels) * 1'000'000});
  const Listener listener = listen_on(args.host, args.port);
  if (!listener.loopback && args.token_file.empty())
    log_event("warning", {{"message",
                           "anyone who reaches this address may use the server; give it "
                           "a token with --token-file"}});
  const ServerOptions options = server_options(args, listener.socket);
  Server server(service, metrics, options);
  log_event("listening", {{"url", listener.url},
                          {"models", models.names()},
                          {"threads", options.threads},
                          {"connections", options.max_connections}});
  fmt::print("{}\n", listener.url);
  std::fflush(stdout);
  serve_until_signal(server, models, metrics, signals);
  log_event("stopping");
  // Who asks twice does not want to wait.
  ::sigdelset(&signals, SIGHUP);
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  server.drain(options.timeout);
  return 0;
}

int run(int argc, char** argv) {
  CLI::App app("Serves models over HTTP: POST /predict, Open Inference v2, a page, metrics.",
               "muster serve");
  app.set_version_flag("--version", "muster " + version());
  Arguments args;
  args.add_to(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorKind::kUsage,
                fmt::format("serve: {}; see: muster serve --help", error.what()));
  }
  return serve(args);
}

}  // namespace
}  // namespace muster::server

int main(int argc, char** argv) {
  try {
    return muster::server::run(argc, argv);
  } catch (const muster::Error& error) {
    fmt::print(stderr, "muster: {}\n", error.what());
    return static_cast<int>(error.kind());
  } catch (const std::exception& error) {
    fmt::print(stderr, "muster: {}\n", error.what());
    return 1;
  }
}
