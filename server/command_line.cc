#include "server/command_line.h"

#include <fmt/format.h>

#include <thread>

#include "server/process.h"

namespace muster::server {
namespace {

constexpr size_t kUploadsAtOnce = 8;  // of the largest size, in memory together

}  // namespace

void CommonArguments::add_to(CLI::App& app) {
  app.add_option("--port", port, "port to listen on; 0 takes one that is free")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  app.add_option("--max-mib", max_mib, "largest body of a request, in MiB")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--max-megapixels", max_megapixels, "largest picture, in millions of pixels")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_flag("--quiet", quiet, "do not log requests");
}

ServerOptions CommonArguments::server_options(int socket, unsigned least_threads) const {
  ServerOptions options;
  options.socket = socket;
  options.threads = static_cast<int>(std::max(least_threads, std::thread::hardware_concurrency()));
  options.max_body_bytes = static_cast<size_t>(max_mib) << 20;
  options.max_upload_bytes = kUploadsAtOnce * options.max_body_bytes;
  options.max_connections = connections_allowed();
  options.log_requests = !quiet;
  return options;
}

int run_command(const std::string& name, const std::string& summary, int argc, char** argv,
                const std::function<void(CLI::App&)>& add, const std::function<int()>& run) {
  CLI::App app(summary, "muster " + name);
  app.set_version_flag("--version", "muster " + version());
  add(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: {}; see: muster {} --help", name, error.what(), name));
  }
  return run();
}

}  // namespace muster::server
