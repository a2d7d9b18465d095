#include "server/studio/run_studio.h"

#include <fmt/format.h>

#include "server/command_line.h"
#include "server/decoding/decoding_processes.h"
#include "server/listen.h"
#include "server/log.h"
#include "server/process.h"
#include "server/studio/studio.h"

namespace muster::server {
namespace {

struct StudioArguments {
  std::filesystem::path folder = "studio";
  CommonArguments common{8090};

  void add_to(CLI::App& app) {
    app.add_option("FOLDER", folder, "folder of class folders; made if there is none")
        ->capture_default_str();
    common.add_to(app);
  }
};

int serve_studio(const StudioArguments& args) {
  note_signals();
  return_large_blocks();
  ServiceOptions limits;
  limits.max_pixels = args.common.max_pixels();
  const std::unique_ptr<DecodingProcesses> decoding = start_decoding();
  limits.decoder = decoding.get();
  Studio studio(args.folder, limits);
  Metrics metrics;
  const Listener listener = listen_on("127.0.0.1", args.common.port);
  const ServerOptions options = args.common.server_options(listener.socket, 2);
  Server server(studio, metrics, options);
  log_event("listening", {{"url", listener.url}, {"folder", studio.folder().string()}});
  fmt::print("{}\n", listener.url);
  std::fflush(stdout);
  serve_until_signal(server, [&](bool) {
    studio.tick();
    server.publish(studio.news());
  });
  drain_and_end(server, options.timeout);
  return 0;
}

}  // namespace

int run_studio(int argc, char** argv) {
  StudioArguments args;
  return run_command(
      "studio", "Opens a page in which classes are made, filled, trained and tried.", argc, argv,
      [&](CLI::App& app) { args.add_to(app); }, [&] { return serve_studio(args); });
}

}  // namespace muster::server
