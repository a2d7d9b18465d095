#include "commands.h"
#include "server_program.h"

namespace muster::cli {

Run add_studio(CLI::App& app) {
  // The server reads its own arguments.
  app.prefix_command();
  app.set_help_flag();
  return [&app]() -> int {
    std::vector<std::string> arguments = app.remaining();
    arguments.insert(arguments.begin(), "--studio");
    become_server("studio", arguments);
  };
}

}  // namespace muster::cli
