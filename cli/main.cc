// The command `muster`: parses, runs one command, turns errors into exit codes (0 ok, 1 run-time
// failure, 2 wrong usage, 3 bad data, 130 interrupted).
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <filesystem>
#include <new>
#include <sstream>
#include <thread>

#include "commands.h"
#include "interrupt.h"
#include "muster/cluster/world.h"
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
  bool over_ranks = false;  // under mpirun and srun
};

constexpr Command kCommands[] = {
    {"synth", "draw a set of pictures to try things on", add_synth},
    {"inspect", "look a data set over: classes, bad and duplicate files, forecast", add_inspect},
    {"train", "learn a model from labelled pictures or vector sets", add_train, true},
    {"predict", "name the classes of pictures or vector sets", add_predict},
    {"evaluate", "measure how good a model is on labelled data", add_evaluate, true},
    {"explain", "show what in a picture or set speaks for a class", add_explain},
    {"similar", "find the items that are most like others", add_similar},
    {"add-class", "add a class to a model without training the rest again", add_add_class},
    {"fuse", "make one model of several: their mean probabilities", add_fuse},
    {"bench", "compare methods under a protocol", add_bench, true},
    {"reproduce", "run a paper's table or figure on your copy of the data", add_reproduce, true},
    {"extract", "write the local features of a data set to a folder", add_extract, true},
    {"encode", "turn each set into one vector", add_encode, true},
    {"gram", "compute the kernel matrix between sets", add_gram, true},
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

// How a command ended.
struct Outcome {
  int code = 0;
  std::string message = {};  // of an error; there may be none
};

void print_error(const std::string& message) {
  std::fflush(stdout);  // in order also if both go to one file
  if (!message.empty()) put_error("muster: " + printable_name(message));
}

// How long a rank with an error waits for the others to end with one, too.
constexpr double kPatienceSeconds = 3;
constexpr auto kWaitForFirst = std::chrono::seconds(2);

// Ends this rank: the first one with an error says so, for all.
int leave(const Outcome& own) {
  if (world().size() == 1) {
    // One of several that failed before they joined: the first one speaks, upon which the launcher
    // ends the others.
    if (own.code != 0 && launched_rank() > 0) std::this_thread::sleep_for(kWaitForFirst);
    if (launched_rank() == 0 || !was_interrupted()) print_error(own.message);
    return own.code;
  }
  const auto codes =
      world().farewell(own.code, own.code == 0 ? Cluster::kForever : kPatienceSeconds);
  if (!codes) {
    print_error(fmt::format("rank {} on {}: {}", world().rank(), world().host(), own.message));
    world().abort(own.code);
  }
  const auto first = std::ranges::find_if(*codes, [](int code) { return code != 0; });
  if (first - codes->begin() == static_cast<ptrdiff_t>(world().rank())) print_error(own.message);
  return first == codes->end() ? 0 : *first;
}

// Under mpirun or srun this process is one of several, which do one job together.
void join_ranks(const Command& command, std::span<const std::string> arguments) {
  if (!command.over_ranks)
    throw usage_error(
        "{}: it runs in one process; start it without mpirun or srun, or with MUSTER_ALONE=1 in "
        "its "
        "environment",
        command.name);
  join_world();
  if (!on_first_rank()) keep_silent();
  require_alike(fmt::format("{}\n{}", kVersion, fmt::join(arguments, "\n")),
                "the version of muster, or one of the arguments,",
                "start the same command everywhere");
}

// One line, with where to read on.
Outcome wrong_usage(const CLI::App& app, const CLI::ParseError& error) {
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
  return {2, fmt::format("{}; see: muster {}--help", message,
                         command ? command->get_name() + " " : "")};
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
Outcome run(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  check_command_name(arguments);
  const std::vector<std::string> given = arguments;
  CLI::App app("muster classifies images, and any sets of vectors, with little training data.",
               "muster");
  app.set_version_flag("--version", std::string("muster ") + kVersion);
  app.require_subcommand(1);
  Run execute;
  const Command* named = nullptr;
  for (const Command& command : kCommands) {
    CLI::App* declared = app.add_subcommand(command.name, command.help);
    if (arguments[0] != command.name) continue;
    execute = command.declare(*declared);
    named = &command;
  }
  app.footer(kFooter);  // after the commands, which would inherit it
  try {
    std::ranges::reverse(arguments);  // as the parser takes them
    app.parse(std::move(arguments));
  } catch (const CLI::Success& success) {
    std::ostringstream help;
    const int code = app.exit(success, help, help);
    put_result(help.str());
    return {code};
  } catch (const CLI::ParseError& error) {
    return wrong_usage(app, error);
  }
  if (named && launched_ranks() > 1) join_ranks(*named, given);
  const int code = execute ? execute() : 0;
  print_profile();
  return {code};
}

// The same with errors as what they say.
Outcome run_caught(int argc, char** argv) {
  try {
    Outcome outcome = run(argc, argv);
    flush_results();
    return outcome;
  } catch (const ReaderLeft&) {
    return {1};
  } catch (const Error& error) {
    return {static_cast<int>(error.kind()), error.what()};
  } catch (const std::bad_alloc&) {
    return {1, kOutOfMemory};
  } catch (const std::filesystem::filesystem_error& error) {
    return {1, fmt::format("{}: {}", error.path1().string(), error.code().message())};
  } catch (const std::exception& error) {
    return {1, fmt::format("{}; this should not happen: please report it", error.what())};
  }
}

}  // namespace
}  // namespace muster::cli

int main(int argc, char** argv) {
  using namespace muster::cli;
  prepare_streams();
  watch_for_interrupt();
  std::set_terminate(end_uncaught);
  return leave(run_caught(argc, argv));
}
