#include "commands.h"
#include "server_program.h"

namespace muster::cli {

Run add_serve(CLI::App& app) {
  // The server reads its own arguments.
  app.prefix_command();
  app.set_help_flag();
  return [&app]() -> int { become_server("serve", app.remaining()); };
}

}  // namespace muster::cli
