// The command `muster`: parses, runs one command, turns errors into exit codes (0 ok, 1 run-time
// failure, 2 wrong usage, 3 bad data, 130 interrupted).
#include <fmt/format.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <new>
#include <sstream>

#include "commands.h"
#include "interrupt.h"
#include "muster/core/error.h"
#include "muster/core/options.h"
#include "muster/pipeline/version.h"
#include "output.h"
#include "profile.h"

namespace muster::cli {
namespace {

struct Command {
  const char* name;
  const char* help;
  Run (*declare)(CLI::App&);
};

constexpr Command kCommands[] = {
    {"synth", "draw a set of pictures to try things on", add_synth},
    {"inspect", "look a data set over: classes, bad and duplicate files, forecast", add_inspect},
    {"train", "learn a model from labelled pictures or vector sets", add_train},
    {"predict", "name the classes of pictures or vector sets", add_predict},
    {"evaluate", "measure how good a model is on labelled data", add_evaluate},
    {"explain", "show what in a picture or set speaks for a class", add_explain},
    {"add-class", "add a class to a model without training the rest again", add_add_class},
    {"fuse", "make one model of several: their mean probabilities", add_fuse},
    {"bench", "compare methods under a protocol", add_bench},
    {"reproduce", "run a paper's table or figure on your copy of the data", add_reproduce},
    {"extract", "write the local features of a data set to a folder", add_extract},
    {"encode", "turn each set into one vector", add_encode},
    {"gram", "compute the kernel matrix between sets", add_gram},
    {"match", "draw which features of two pictures or sets belong together", add_match},
    {"methods", "list every method and stage with its options", add_methods},
    {"info", "say what a file holds", add_info},
    {"serve", "serve models over HTTP, with a page to try them on", add_serve},
    {"studio", "make, train and try classes of pictures in the browser", add_studio},
    {"weights", "show which cells and kernels tell classes apart, as numbers and pictures",
     add_weights},
};

constexpr const char* kFooter =
    "First steps:\n"
    "  muster synth pictures                          a set to play with\n"
    "  muster train pictures -o model.muster\n"
    "  muster predict model.muster some.jpg --top 3\n"
    "  muster COMMAND --help                          everything about one command\n"
    "Exit codes: 0 ok, 1 failure while running, 2 wrong usage, 3 bad data, 130 interrupted.";

constexpr const char* kOutOfMemory =
    "out of memory; use fewer items, smaller pictures (--set max_side=200) or fewer words";

// Some destructors ask for memory (nlohmann::json's do), and what they throw cannot be caught.
void end_uncaught() {
  if (std::current_exception()) try {
      throw;
    } catch (const std::bad_alloc&) {
      for (const std::string_view text : {"muster: ", kOutOfMemory, "\n"})
        [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
      ::_exit(1);
    } catch (...) {
    }
  __gnu_cxx::__verbose_terminate_handler();
}

int fail(int code, const std::string& message) {
  std::fflush(stdout);  // in order also if both go to one file
  put_message("muster: " + printable_name(message));
  return code;
}

// One line, with where to read on.
int wrong_usage(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = nullptr;
  for (const CLI::App* parsed : app.get_subcommands()) command = parsed;
  std::string message = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) && command) {
    const std::vector<std::string> extras = command->remaining();
    std::vector<std::string> known;
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    if (!extras.empty())
      message = fmt::format("{}: unknown argument '{}'{}", command->get_name(), extras[0],
                            did_you_mean(extras[0], known));
  } else if (command) {
    message = fmt::format("{}: {}", command->get_name(), message);
  }
  std::ranges::replace(message, '\n', ' ');
  return fail(2, fmt::format("{}; see: muster {}--help", message,
                             command ? command->get_name() + " " : ""));
}

// `muster help`, `muster help train` and a misspelled command never reach the parser.
void check_command_name(std::vector<std::string>& arguments) {
  if (arguments.empty()) throw usage_error("name a command; muster --help lists them");
  if (arguments[0] == "help") {
    arguments.erase(arguments.begin());
    arguments.resize(std::min<size_t>(arguments.size(), 1));
    arguments.push_back("--help");
  }
  if (arguments[0].starts_with('-')) return;
  std::vector<std::string> known;
  for (const Command& command : kCommands) {
    if (arguments[0] == command.name) return;
    known.push_back(command.name);
  }
  throw usage_error("unknown command '{}'{}; choose from: {}", arguments[0],
                    did_you_mean(arguments[0], known), fmt::join(known, ", "));
}

// Only the command that is named declares its arguments: declaring all of them takes longer than
// many a command runs.
int run(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  check_command_name(arguments);
  CLI::App app("muster classifies images, and any sets of vectors, with little training data.",
               "muster");
  app.set_version_flag("--version", std::string("muster ") + kVersion);
  app.require_subcommand(1);
  Run execute;
  for (const Command& command : kCommands) {
    CLI::App* declared = app.add_subcommand(command.name, command.help);
    if (arguments[0] == command.name) execute = command.declare(*declared);
  }
  app.footer(kFooter);  // after the commands, which would inherit it
  try {
    std::ranges::reverse(arguments);  // as the parser takes them
    app.parse(std::move(arguments));
  } catch (const CLI::Success& success) {
    std::ostringstream help;
    const int code = app.exit(success, help, help);
    put_result(help.str());
    return code;
  } catch (const CLI::ParseError& error) {
    return wrong_usage(app, error);
  }
  const int code = execute ? execute() : 0;
  print_profile();
  return code;
}

}  // namespace
}  // namespace muster::cli

int main(int argc, char** argv) {
  using namespace muster::cli;
  prepare_streams();
  watch_for_interrupt();
  std::set_terminate(end_uncaught);
  try {
    const int code = run(argc, argv);
    flush_results();
    return code;
  } catch (const ReaderLeft&) {
    return 1;
  } catch (const muster::Error& error) {
    return fail(static_cast<int>(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    return fail(1, kOutOfMemory);
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(1, fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const std::exception& error) {
    return fail(1, fmt::format("{}; this should not happen: please report it", error.what()));
  }
}
