// The command `muster`: parses, runs one command, turns errors into exit codes (0 ok, 1 run-time failure,
// 2 wrong usage, 3 bad data).
#include <fmt/format.h>

#include <new>

#include "commands.h"
#include "muster/core/error.h"
#include "muster/pipeline/version.h"

namespace {

int fail(int code, const char* message) {
  fmt::print(stderr, "muster: {}\n", message);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("muster classifies images, and any sets of vectors, with little training data.", "muster");
  app.set_version_flag("--version", std::string("muster ") + muster::kVersion);
  app.require_subcommand(1);
  std::vector<std::pair<CLI::App*, muster::cli::Run>> commands;
  const auto add = [&](const char* name, const char* help, muster::cli::Run (*declare)(CLI::App&)) {
    CLI::App* command = app.add_subcommand(name, help);
    commands.emplace_back(command, declare(*command));
  };
  add("train", "learn a model from labelled pictures or vector sets", muster::cli::add_train);
  add("predict", "classes of pictures or vector sets", muster::cli::add_predict);
  add("evaluate", "how good a model is on labelled data", muster::cli::add_evaluate);
  add("bench", "compare methods under a protocol", muster::cli::add_bench);
  try {
    app.parse(argc, argv);
    for (const auto& [command, run] : commands)
      if (command->parsed()) return run();
    return 0;
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return 2;
  } catch (const muster::Error& error) {
    return fail(static_cast<int>(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    return fail(1, "out of memory; use fewer items, smaller pictures (--set max_side=200) or fewer words");
  } catch (const std::exception& error) {
    return fail(1, error.what());
  }
}
