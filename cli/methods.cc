#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "common.h"
#include "muster/recipe/registry.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;

struct MethodsArguments {
  Common common;
  std::string name;
  bool kernels = false;
};

// The kinds of stages in the order of a recipe.
constexpr std::pair<const char*, const char*> kKinds[] = {
    {"feature", "Features: a picture becomes a set of vectors"},
    {"reduction", "Reductions: a set becomes a set"},
    {"set feature", "Set features: a set becomes one vector"},
    {"vector scaling", "Vector scalings: such a vector becomes another"},
    {"vector kernel", "Vector kernels: two such vectors become a number"},
    {"set kernel", "Set kernels: two sets become a number"},
    {"kernel transform", "Kernel transforms: a kernel becomes a kernel"},
    {"classifier", "Classifiers: vectors or kernels become classes"},
};

Json option_json(const Field& field) {
  Json out{{"name", field.name()},    {"type", field.type()}, {"allowed", field.allowed()},
           {"default", field.text()}, {"help", field.help()}, {"paper", field.paper()}};
  if (!field.choices().empty()) out["choices"] = field.choices();
  return out;
}

Json options_json(AnyOptions& options) {
  Json out = Json::array();
  for (const Field& field : options.fields().list()) out.push_back(option_json(field));
  return out;
}

Json stage_json(const StageEntry& stage) {
  constexpr const char* kPsd[] = {"always", "conditional", "no"};
  Json traits{{"needs_places", stage.traits.needs_places}};
  if (stage.kind() == "kernel transform") {
    constexpr const char* kTransformPsd[] = {"always", "as before", "no"};
    traits["psd"] = kTransformPsd[static_cast<int>(stage.traits.psd)];
  } else if (stage.kind().ends_with("kernel")) {
    traits["psd"] = kPsd[static_cast<int>(stage.traits.psd)];
    traits["non_negative"] = stage.traits.non_negative;
    traits["distance"] = stage.traits.distance;
    traits["co_occurrence"] = stage.traits.co_occurrence;
    traits["model_free"] = stage.traits.model_free;
    traits["unequal_sizes"] = stage.traits.unequal_sizes;
    traits["cost"] = stage.traits.cost;
  }
  return {{"name", stage.name},
          {"kind", stage.kind()},
          {"summary", stage.summary},
          {"paper", stage.paper},
          {"traits", traits},
          {"in_build", stage.available()},
          {"options", options_json(*stage.make_options())}};
}

// The options of all its stages, with the values that the preset gives them as defaults.
Json preset_json(const Preset& preset) {
  const Recipe recipe = parse_recipe(preset.recipe);
  bool in_build = true;
  std::vector<StageSpec> stages = recipe.joined;
  for (size_t b = recipe.branches.size(); b-- > 0;)
    stages.insert(stages.begin(), recipe.branches[b].begin(), recipe.branches[b].end());
  Json options = Json::array();
  for (const StageSpec& spec : stages) {
    const StageEntry& stage = find_stage(spec.name);
    in_build = in_build && stage.available();
    const std::unique_ptr<AnyOptions> values = stage.make_options();
    for (const auto& [name, value] : spec.options) values->set(spec.name, name, value);
    for (Json& option : options_json(*values)) {
      Json with_stage{{"stage", spec.name}};
      with_stage.update(option);
      options.push_back(std::move(with_stage));
    }
  }
  return {{"name", preset.name},     {"summary", preset.summary}, {"paper", preset.paper},
          {"recipe", preset.recipe}, {"in_build", in_build},      {"options", options}};
}

std::string text_of(const Json& value, const char* key) { return value[key].get<std::string>(); }

void print_options(const Json& options) {
  std::vector<std::string> names, values, ranges;
  size_t name_width = 0, value_width = 0, range_width = 0;
  for (const Json& option : options) {
    names.push_back((option.contains("stage") ? text_of(option, "stage") + "." : "") +
                    text_of(option, "name"));
    values.push_back(text_of(option, "default"));
    ranges.push_back(text_of(option, "allowed"));
    name_width = std::max(name_width, names.back().size());
    value_width = std::max(value_width, values.back().size());
    range_width = std::max(range_width, ranges.back().size());
  }
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string paper = text_of(options[i], "paper");
    print_result("    {:<{}} = {:<{}}  {:<{}}  {}{}\n", names[i], name_width, values[i],
                 value_width, ranges[i], range_width, text_of(options[i], "help"),
                 paper.empty() ? "" : fmt::format(" [{}]", paper));
  }
}

const char* availability(const Json& entry) {
  return entry["in_build"] ? "" : " (not in this build: install the package muster-dnn)";
}

void print_entry(const Json& entry, size_t name_width) {
  const std::string paper = text_of(entry, "paper");
  print_result("  {:<{}}  {}{}{}\n", text_of(entry, "name"), name_width, text_of(entry, "summary"),
               paper.empty() ? "" : fmt::format(" [{}]", paper), availability(entry));
}

void print_all() {
  print_result("Methods, for --method and --methods [where they come from]\n");
  size_t width = 0;
  for (const StageEntry& stage : all_stages()) width = std::max(width, stage.name.size());
  for (const Preset& preset : all_presets()) width = std::max(width, preset.name.size());
  print_result(
      "  {:<{}}  chooses a recipe for the data by cross-validation; what train does if no "
      "method is named\n",
      "auto", width);
  for (const Preset& preset : all_presets()) {
    print_entry(preset_json(preset), width);
    print_result("  {:<{}}  = {}\n", "", width, preset.recipe);
  }
  print_result(
      "\nStages, for --recipe: joined by '/', options after ':', as in "
      "dsift:step=6/bow:words=500/linear-svm\n");
  for (const auto& [kind, title] : kKinds) {
    print_result("\n{}\n", title);
    for (const StageEntry& stage : all_stages()) {
      if (stage.kind() != kind) continue;
      const Json entry = stage_json(stage);
      print_entry(entry, width);
      print_options(entry["options"]);
    }
  }
}

// All of them, or those called `name`: a stage and a preset may share one.
Json listing(const std::string& name) {
  Json out{{"stages", Json::array()}, {"presets", Json::array()}};
  std::vector<std::string> known;
  for (const Preset& preset : all_presets()) {
    known.push_back(preset.name);
    if (name.empty() || preset.name == name) out["presets"].push_back(preset_json(preset));
  }
  for (const StageEntry& stage : all_stages()) {
    known.push_back(stage.name);
    if (name.empty() || stage.name == name) out["stages"].push_back(stage_json(stage));
  }
  if (out["stages"].empty() && out["presets"].empty())
    throw usage_error("methods: unknown method or stage '{}'{}; choose from: {}", name,
                      did_you_mean(name, known), fmt::join(known, ", "));
  return out;
}

void print_one(const Json& entry) {
  print_result("{}: {}{}\n", text_of(entry, "name"), text_of(entry, "summary"),
               availability(entry));
  if (!text_of(entry, "paper").empty()) print_result("  from        {}\n", text_of(entry, "paper"));
  if (entry.contains("kind")) print_result("  kind        {}\n", text_of(entry, "kind"));
  if (entry.contains("recipe")) print_result("  recipe      {}\n", text_of(entry, "recipe"));
  if (entry.contains("traits")) {
    const Json& traits = entry["traits"];
    if (traits["needs_places"]) print_result("  needs       sets with places\n");
    if (traits.contains("psd"))
      print_result("  positive semi-definite: {}\n", text_of(traits, "psd"));
    if (traits.value("non_negative", false))
      print_result("  wants       vectors without negative components\n");
  }
  const Json& options = entry["options"];
  print_result("  options{}\n", options.empty()
                                    ? "     none"
                                    : " (name = default, what is allowed, meaning [paper])");
  print_options(options);
  if (entry.contains("recipe"))
    print_result(
        "  change one with --set, as in: muster train DATA -o MODEL --method {} --set {}={}\n",
        text_of(entry, "name"), text_of(options[0], "name"), text_of(options[0], "default"));
}

// PMK's table 1, of what there is here.
void print_kernels() {
  std::vector<StageEntry> kernels;
  const std::string cost_title = "cost per pair";
  size_t name_width = 0, cost_width = cost_title.size();
  for (const StageEntry& stage : all_stages())
    if (stage.kind() == "set kernel" || stage.kind() == "vector kernel") {
      kernels.push_back(stage);
      name_width = std::max(name_width, stage.name.size());
      cost_width = std::max(cost_width, std::string(stage.traits.cost).size());
    }
  print_result("{:<{}}  {:<{}}  C  P  M  U\n", "kernel", name_width, cost_title, cost_width);
  for (const StageEntry& kernel : kernels) {
    const Traits& traits = kernel.traits;
    const char* psd = traits.distance                   ? "-"
                      : traits.psd == Psd::kAlways      ? "x"
                      : traits.psd == Psd::kConditional ? "o"
                                                        : "";
    const std::string line =
        fmt::format("{:<{}}  {:<{}}  {:<1}  {:<1}  {:<1}  {:<1}", kernel.name, name_width,
                    traits.cost, cost_width, traits.co_occurrence ? "x" : "", psd,
                    traits.model_free ? "x" : "", traits.unequal_sizes ? "x" : "");
    print_result("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
  print_result(
      "C  sees which vectors of a set occur together\n"
      "P  positive semi-definite (Mercer): x always, o on some data, - a distance\n"
      "M  assumes no parametric model of a set\n"
      "U  keeps what it promises between sets of unequal sizes\n"
      "cost: m vectors of d components per set; values of range R; D components of a set feature "
      "[PMK table 1]\n");
}

int methods(const MethodsArguments& args) {
  if (args.kernels && !args.common.json) {
    if (!args.name.empty())
      throw usage_error("methods: --kernels prints all kernels; leave out '{}'", args.name);
    print_kernels();
    return 0;
  }
  const Json found = listing(args.name);
  if (args.common.json) {
    print_json(found);
  } else if (args.name.empty()) {
    print_all();
  } else {
    for (const Json& preset : found["presets"]) print_one(preset);
    for (const Json& stage : found["stages"]) print_one(stage);
  }
  return 0;
}

}  // namespace

Run add_methods(CLI::App& app) {
  auto args = std::make_shared<MethodsArguments>();
  app.add_option("NAME", args->name, "a method or stage, to see it alone");
  app.add_flag("--kernels", args->kernels, "a table of all kernels: cost, Mercer or not, and more");
  args->common.add_to(app);
  return [args] { return methods(*args); };
}

}  // namespace muster::cli
