// muster-serve, which `muster serve` and `muster studio` start: a REST server for models, or a page
// to make one. A program of its own, because its libraries would double what the command loads to
// start.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <fstream>
#include <thread>

#include "server/listen.h"
#include "server/log.h"
#include "server/process.h"
#include "server/service.h"
#include "server/studio/run_studio.h"

namespace muster::server {
namespace {

using namespace std::chrono_literals;

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

int serve(const Arguments& args) {
  const sigset_t signals = block_signals();
  return_large_blocks();
  Models models(args.models);
  Metrics metrics;
  Service service(models, {read_token(args.token_file), static_cast<size_t>(args.max_parts),
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
  unsigned turns = 0;
  serve_until_signal(server, signals, [&](bool all) {
    if (all || turns++ % 4 == 0) reload(models, metrics, all);
  });
  drain_and_end(server, signals, options.timeout);
  return 0;
}

int run(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--studio") return run_studio(argc - 1, argv + 1);
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
