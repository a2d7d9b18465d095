#include "server/run_serve.h"

#include <fmt/format.h>

#include <chrono>
#include <fstream>

#include "server/command_line.h"
#include "server/decoding/decoding_processes.h"
#include "server/listen.h"
#include "server/log.h"
#include "server/process.h"
#include "server/service.h"

namespace muster::server {
namespace {

using namespace std::chrono_literals;

struct ServeArguments {
  std::vector<std::filesystem::path> models;
  std::string host = "127.0.0.1", token_file;
  std::filesystem::path training;
  CommonArguments common{8080};
  int threads = 0, max_parts = 64, queue = 64, timeout_s = 60;

  void add_to(CLI::App& app) {
    app.add_option("MODEL", models,
                   "models made by muster train, fuse or add-class; each is served under its "
                   "file's name without the extension")
        ->required();
    common.add_to(app);
    app.add_option("--host", host, "address to listen on; 0.0.0.0 for all of this machine's")
        ->capture_default_str();
    app.add_option("--threads", threads,
                   "requests that are worked on at the same time; 0 for one "
                   "per core")
        ->check(CLI::Range(0, 4096))
        ->capture_default_str();
    app.add_option("--max-parts", max_parts, "most items in one request")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    app.add_option("--queue", queue, "requests that may wait for a thread; more are answered 429")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    app.add_option("--timeout", timeout_s,
                   "seconds that a client may take to send a request, and again that the request "
                   "may wait and be worked on")
        ->check(CLI::Range(1, 3600))
        ->capture_default_str();
    app.add_option("--training", training,
                   "the data that the model was trained on: explanations by kernel methods show "
                   "the training pictures that decided");
    app.add_option("--token-file", token_file,
                   "file whose first line is a token; requests must carry it as "
                   "'Authorization: Bearer TOKEN'");
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

std::filesystem::path training_of(const ServeArguments& args) {
  if (args.training.empty()) return {};
  if (args.models.size() != 1)
    throw Error(ErrorKind::kUsage,
                "serve: --training is for one model; start a server for each model that needs it");
  if (!std::filesystem::exists(args.training))
    throw Error(ErrorKind::kData,
                fmt::format("--training {}: does not exist", args.training.string()));
  return args.training;
}

ServerOptions server_options(const ServeArguments& args, int socket) {
  ServerOptions options = args.common.server_options(socket, 1);
  if (args.threads > 0) options.threads = args.threads;
  options.queue = static_cast<size_t>(args.queue);
  options.timeout = std::chrono::seconds(args.timeout_s);
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

int serve(const ServeArguments& args) {
  note_signals();
  return_large_blocks();
  Models models(args.models);
  Metrics metrics;
  const std::unique_ptr<DecodingProcesses> decoding = start_decoding();
  Service service(models, {read_token(args.token_file), static_cast<size_t>(args.max_parts),
                           args.common.max_pixels(), training_of(args), decoding.get()});
  const Listener listener = listen_on(args.host, args.common.port);
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
  serve_until_signal(server, [&](bool all) {
    if (all || turns++ % 4 == 0) reload(models, metrics, all);
  });
  drain_and_end(server, options.timeout);
  return 0;
}

}  // namespace

int run_serve(int argc, char** argv) {
  ServeArguments args;
  return run_command(
      "serve", "Serves models over HTTP: POST /predict, Open Inference v2, a page, metrics.", argc,
      argv, [&](CLI::App& app) { args.add_to(app); }, [&] { return serve(args); });
}

}  // namespace muster::server
