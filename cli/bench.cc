#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "commands.h"
#include "common.h"
#include "muster/experiment/experiment.h"
#include "muster/experiment/learning_curve.h"
#include "muster/recipe/plan.h"
#include "muster/report/html.h"
#include "muster/report/tables.h"
#include "muster/report/thumbnails.h"
#include "muster/results/results_json.h"
#include "muster/store/atomic_file.h"

namespace muster::cli {
namespace {

struct BenchArguments {
  Common common;
  std::string data, out = "muster-bench", methods, features, universal;
  std::vector<std::string> recipes, overrides, fusions;
  ProtocolOptions protocol;
  std::map<std::string, std::string> protocol_texts;
  std::string curve;
  CacheChoice cache{.folder = "none"};
  Effort effort = Effort::kNormal;
};

std::vector<Method> chosen_methods(const BenchArguments& args, ItemKind kind) {
  std::vector<Method> methods;
  std::string rest = args.methods;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string name = rest.substr(0, comma);
    if (name == kAutoMethod)
      methods.push_back(
          {.name = name,
           .recipe = {},
           .choose = ChooseOptions{.effort = args.effort, .overrides = args.overrides}});
    else
      methods.push_back({name, recipe_of_method(name)});
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
  }
  for (const std::string& recipe : args.recipes) methods.push_back({recipe, parse_recipe(recipe)});
  if (methods.empty())
    throw usage_error("bench: name methods with --methods A,B or --recipe R (see: muster methods)");
  for (Method& method : methods) {
    if (method.choose) continue;
    for (const std::string& assignment : args.overrides) override_option(method.recipe, assignment);
    method.recipe = fit_to_data(std::move(method.recipe), kind, args.common);
  }
  return methods;
}

// "train=5,10,20".
SweptOption parse_curve(const std::string& text) {
  const size_t equals = text.find('=');
  SweptOption out{text.substr(0, equals), {}};
  std::string rest = equals == std::string::npos ? "" : text.substr(equals + 1);
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string value = rest.substr(0, comma);
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || !std::isfinite(number))
      throw usage_error(
          "bench: --curve takes an option and its values, such as train=5,10,20, not '{}'", text);
    out.values.push_back(number);
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
  }
  if (out.values.size() < 2)
    throw usage_error("bench: --curve needs two values or more, such as train=5,10,20, not '{}'",
                      text);
  return out;
}

void print_tables(const Results& results) {
  print_result("{}", text_table(results));
  const MethodResult* best = results.best();
  if (best && !best->labels.empty())
    print_result("\nlabels of {}\n{}", best->method, label_table(*best));
  for (const std::string& note : results.notes) print_result("{}\n", note);
}

// "A+B" or "A:2+B:1": methods by name or by their number from 1 on, with weights.
Fusion parse_fusion(const std::string& text, const std::vector<Method>& methods) {
  Fusion out{"fused " + text, {}, {}};
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, '+');) {
    const size_t colon = part.find(':');
    const std::string name = part.substr(0, colon);
    double weight = 1;
    if (colon != std::string::npos && !CLI::detail::lexical_cast(part.substr(colon + 1), weight))
      weight = 0;
    if (!(weight > 0) || !std::isfinite(weight))
      throw usage_error("--fuse {}: the weight of '{}' must be a positive number", text, name);
    size_t number = 0;
    const auto found = std::ranges::find(methods, name, &Method::name);
    if (found != methods.end())
      number = static_cast<size_t>(found - methods.begin()) + 1;
    else if (!CLI::detail::lexical_cast(name, number) || number == 0 || number > methods.size())
      throw usage_error(
          "--fuse {}: '{}' is neither a method of this bench nor its number (1 to {})", text, name,
          methods.size());
    out.members.push_back(number - 1);
    out.weights.push_back(weight);
  }
  if (out.members.size() < 2)
    throw usage_error("--fuse {}: name two methods or more, such as 1+2", text);
  return out;
}

int bench(BenchArguments& args) {
  check_outside(args.out, args.data);
  const auto threads = args.common.limit_threads();
  OptionsOf<ProtocolOptions> protocol(args.protocol);
  for (const auto& [name, text] : args.protocol_texts) protocol.set("bench", name, text);
  const Dataset dataset = open_data(args.data, args.common);
  ExperimentOptions options{
      chosen_methods(args, dataset.kind), {}, protocol.values, args.common.seed, args.out,
      {.features = args.features}};
  args.cache.apply_to(options.source);
  for (Method& method : options.methods) method.universal = args.universal;
  for (const std::string& text : args.fusions)
    options.fusions.push_back(parse_fusion(text, options.methods));
  const Progress progress = args.common.progress();
  const Announce announce = [&](const std::string& text) { args.common.say(text); };
  Results results = args.curve.empty()
                        ? run_experiment(dataset, options, progress, announce)
                        : run_curve(dataset, options, parse_curve(args.curve), progress, announce);
  if (args.common.json)
    print_json(to_json(results));
  else
    print_tables(results);
  results.thumbnails = mistake_thumbnails(results, dataset);
  const std::filesystem::path out = args.out;
  write_file_atomically(out / "results.csv", csv_table(results));
  write_file_atomically(out / "report.html", html_report(results));
  args.common.say(fmt::format("results: {}\nreport: {}", (out / "results.json").string(),
                              (out / "report.html").string()));
  return 0;
}

}  // namespace

Run add_bench(CLI::App& app) {
  auto args = std::make_shared<BenchArguments>();
  app.add_option("DATA", args->data, "labelled data")->required();
  app.add_option("--methods,-m", args->methods, "named methods, separated by commas; auto is one");
  add_effort(app, args->effort);
  app.add_option("--recipe,-r", args->recipes,
                 "a recipe to compare as well; may be given several times")
      ->allow_extra_args(false);
  app.add_option("--set", args->overrides, "option=value or stage.option=value, for all methods")
      ->allow_extra_args(false);
  app.add_option("--fuse", args->fusions,
                 "add a row for the mean probabilities of some methods, by name or number: 1+2, or "
                 "with weights 1:2+2:1; may be given several times")
      ->allow_extra_args(false);
  app.add_option("-o,--output", args->out, "folder for results.json and report.html")
      ->capture_default_str();
  app.add_option("--features", args->features, kFeaturesHelp);
  app.add_option("--universal", args->universal, kUniversalHelp);
  app.add_option("--curve", args->curve,
                 "run once for each value of an option of the protocol, and draw curves: "
                 "train=5,10,20,40");
  args->cache.add_to(app);
  Fields fields;
  args->protocol.fields(fields);
  for (const Field& field : fields.list()) {
    std::string flag = "--" + field.name();
    std::ranges::replace(flag, '_', '-');
    app.add_option_function<std::string>(
           flag,
           [args, name = field.name()](const std::string& text) {
             args->protocol_texts[name] = text;
           },
           fmt::format("{} ({})", field.help(), field.allowed()))
        ->default_str(field.text());
  }
  args->common.add_to(app);
  return [args] { return bench(*args); };
}

}  // namespace muster::cli
