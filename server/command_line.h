// What the command lines of `muster serve` and `muster studio` share.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "server/server.h"
#include "server/service.h"

namespace muster::server {

struct CommonArguments {
  int port = 0, max_mib = 32, max_megapixels = 50;
  bool quiet = false;

  explicit CommonArguments(int default_port) : port(default_port) {}
  void add_to(CLI::App& app);

  uint64_t max_pixels() const { return static_cast<uint64_t>(max_megapixels) * 1'000'000; }
  // With at least this many threads.
  ServerOptions server_options(int socket, unsigned least_threads) const;
};

// Reads the arguments, which `add` has defined, and runs the command.
int run_command(const std::string& name, const std::string& summary, int argc, char** argv,
                const std::function<void(CLI::App&)>& add, const std::function<int()>& run);

}  // namespace muster::server
