#include "muster/draw/synth.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "common.h"
#include "muster/core/parallel.h"
#include "muster/core/progress.h"
#include "muster/image/decode.h"
#include "muster/store/atomic_file.h"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Hidden, so that it is not a part of the data; says which set a folder holds, so that a rerun can
// go on.
constexpr const char* kMarkName = ".muster-synth.json";

struct SynthArguments {
  Common common;
  std::string out, size = "160x120";
  int classes = 8, per_class = 60;
  int width = 0, height = 0;
};

void parse_size(SynthArguments& args) {
  const size_t x = args.size.find('x');
  const auto number = [](const std::string& text) {
    const bool digits = !text.empty() && text.size() <= 6 &&
                        text.find_first_not_of("0123456789") == std::string::npos;
    return digits ? std::stoi(text) : 0;
  };
  args.width = number(args.size.substr(0, x));
  args.height = x == std::string::npos ? 0 : number(args.size.substr(x + 1));
  const auto allowed = [](int side) { return side >= kSynthMinSide && side <= kSynthMaxSide; };
  if (!allowed(args.width) || !allowed(args.height))
    throw usage_error(
        "synth: --size {} is not allowed: it takes WIDTHxHEIGHT in pixels, each {} to {}, such as "
        "160x120",
        args.size, kSynthMinSide, kSynthMaxSide);
}

Json mark_of(const SynthArguments& args) {
  return {{"classes", args.classes},
          {"per_class", args.per_class},
          {"size", args.size},
          {"seed", args.common.seed}};
}

// Nothing but what a run left behind that was killed before it had written its mark.
bool is_as_good_as_empty(const fs::path& folder) {
  return std::ranges::all_of(fs::directory_iterator(folder), [](const fs::directory_entry& entry) {
    return is_leftover(entry.path());
  });
}

// An empty folder, one that is not there yet, or one that holds the same set, perhaps in part.
void open_folder(const SynthArguments& args) {
  const fs::path out = args.out;
  make_folder(out);
  bool empty = false;
  try {
    empty = is_as_good_as_empty(out);
  } catch (const fs::filesystem_error& error) {
    throw runtime_failure("{}: the folder cannot be read: {}", args.out, error.code().message());
  }
  if (!empty) {
    std::ifstream in(out / kMarkName);
    const Json found = in ? Json::parse(in, nullptr, false) : Json();
    if (found == mark_of(args)) return;
    throw usage_error("{}: the folder is not empty and holds {}; name an empty folder", args.out,
                      found.is_object() ? "another set, made with " + found.dump() : "other files");
  }
  write_file_atomically(out / kMarkName, mark_of(args).dump() + "\n");
}

int synth(SynthArguments& args) {
  const auto threads = args.common.limit_threads();
  parse_size(args);
  const std::vector<std::string> names = synth_class_names(args.classes);
  open_folder(args);
  for (const std::string& name : names) make_folder(fs::path(args.out) / name);
  const auto per_class = static_cast<size_t>(args.per_class);
  const Progress progress = args.common.progress();
  ProgressStep step(progress, "pictures", names.size() * per_class);
  std::atomic<size_t> written = 0;
  parallel_for(names.size() * per_class, 1, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const size_t label = i / per_class, number = i % per_class;
      const fs::path file = fs::path(args.out) / names[label] / fmt::format("{:04}.png", number);
      if (!fs::exists(file)) {
        const Rng stream = Rng(args.common.seed).derive("synth").derive(label).derive(number);
        write_file_atomically(file, encode_png(synth_image(static_cast<int>(label), args.width,
                                                           args.height, stream)));
        ++written;
      }
      step.tick();
    }
  });
  const size_t total = names.size() * per_class;
  if (args.common.json) {
    print_json({{"out", args.out},
                {"classes", names},
                {"per_class", args.per_class},
                {"size", args.size},
                {"seed", args.common.seed},
                {"written", written.load()},
                {"kept", total - written}});
    return 0;
  }
  print_result("{}: {} of {} classes, {} pixels", args.out, counted(total, "picture"), names.size(),
               args.size);
  if (written < total) print_result(" ({} were there before)", total - written);
  print_result("\n");
  args.common.say(fmt::format("next: muster train {} -o model.muster", args.out));
  return 0;
}

}  // namespace

Run add_synth(CLI::App& app) {
  auto args = std::make_shared<SynthArguments>();
  app.add_option("OUT", args->out, "folder to make; running again goes on where it stopped")
      ->required();
  app.add_option("--classes", args->classes,
                 fmt::format("how many classes (2 to {})", synth_max_classes()))
      ->capture_default_str();
  app.add_option("--per-class", args->per_class, "pictures per class")
      ->check(whole_number(1, 1000000))
      ->capture_default_str();
  app.add_option("--size", args->size, "WIDTHxHEIGHT in pixels")->capture_default_str();
  args->common.add_to(app);
  return [args] { return synth(*args); };
}

}  // namespace muster::cli
