#include "server/studio/run_studio.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <thread>

#include "server/listen.h"
#include "server/log.h"
#include "server/process.h"
#include "server/studio/studio.h"

namespace muster::server {
namespace {

constexpr size_t kUploadsAtOnce = 8;  // of the largest size, in memory together

struct Arguments {
  std::filesystem::path folder = "studio";
  int port = 8090, max_mib = 32, max_megapixels = 50;
  bool quiet = false;

  void add_to(CLI::App& app) {
    app.add_option("FOLDER", folder, "folder of class folders; made if there is none")
        ->capture_default_str();
    app.add_option("--port", port, "port to listen on; 0 takes one that is free")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    app.add_option("--max-mib", max_mib, "largest upload, in MiB")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    app.add_option("--max-megapixels", max_megapixels, "largest picture, in millions of pixels")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    app.add_flag("--quiet", quiet, "do not log requests");
  }
};

int serve_studio(const Arguments& args) {
  const sigset_t signals = block_signals();
  return_large_blocks();
  ServiceOptions limits;
  limits.max_pixels = static_cast<uint64_t>(args.max_megapixels) * 1'000'000;
  Studio studio(args.folder, limits);
  Metrics metrics;
  const Listener listener = listen_on("127.0.0.1", args.port);
  ServerOptions options;
  options.socket = listener.socket;
  options.threads = static_cast<int>(std::max(2u, std::thread::hardware_concurrency()));
  options.max_body_bytes = static_cast<size_t>(args.max_mib) << 20;
  options.max_upload_bytes = kUploadsAtOnce * options.max_body_bytes;
  options.max_connections = connections_allowed();
  options.log_requests = !args.quiet;
  Server server(studio, metrics, options);
  log_event("listening", {{"url", listener.url}, {"folder", studio.folder().string()}});
  fmt::print("{}\n", listener.url);
  std::fflush(stdout);
  serve_until_signal(server, signals, [&](bool) {
    studio.tick();
    server.publish(studio.news());
  });
  drain_and_end(server, signals, options.timeout);
  return 0;
}

}  // namespace

int run_studio(int argc, char** argv) {
  CLI::App app("Opens a page in which classes are made, filled, trained and tried.",
               "muster studio");
  app.set_version_flag("--version", "muster " + version());
  Arguments args;
  args.add_to(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorKind::kUsage,
                fmt::format("studio: {}; see: muster studio --help", error.what()));
  }
  return serve_studio(args);
}

}  // namespace muster::server
