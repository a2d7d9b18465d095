#include "muster/reproduce/reproduce.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "muster/cluster/world.h"
#include "muster/core/error.h"
#include "muster/pipeline/fit.h"
#include "muster/pipeline/universal_file.h"
#include "muster/reproduce/comparison.h"
#include "muster/reproduce/studies.h"
#include "muster/results/results_json.h"
#include "muster/store/atomic_file.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

std::string as_folder_name(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
    if (plain)
      out += c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  return out.empty() ? "all" : out;
}

std::string replace_all(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

void set_options(OptionsOf<ProtocolOptions>& protocol,
                 const std::map<std::string, std::string>& values) {
  for (const auto& [name, text] : values) protocol.set("protocol", name, text);
}

Error missing_data(const PaperExperiment& experiment, const fs::path& folder,
                   const DataDescription& data, const std::string& instead = "") {
  return data_error(
      "reproduce {}: {} is not there. It holds {}; get it from {} and lay it out as {}{}",
      experiment.name, folder.string(), data.about, data.from, data.layout, instead);
}

class Reproduction {
 public:
  Reproduction(const PaperExperiment& experiment, const ReproduceOptions& options,
               const Progress& progress, const Announce& announce)
      : experiment_(experiment), options_(options), progress_(progress), announce_(announce) {}

  Results run() {
    const fs::path folder = data_folder(experiment_, options_);
    comparable_ = folder.filename() == experiment_.data;
    if (!comparable_) take_measure_of_stand_in();
    const Dataset dataset = open_dataset(folder);
    std::vector<MeasuredRun> runs;
    for (const PaperPart& part : experiment_.parts) {
      const Dataset chosen = select_classes(dataset, classes(part, folder.filename().string()));
      for (const std::optional<double>& value : protocol_values())
        runs.push_back(run_part(part, value, chosen));
    }
    std::vector<ComparisonRow> comparison = comparison_of(experiment_, runs, comparable_);
    std::vector<Curve> curves = curves_of(experiment_, runs);
    Results results = merge_runs(std::move(runs), sweep_name());
    results.data->path = folder.filename().string();
    results.comparison = std::move(comparison);
    results.curves = std::move(curves);
    return results;
  }

 private:
  // Those of the parts are the paper's data's, and a stand-in has its own; of other data all.
  std::vector<std::string> classes(const PaperPart& part, const std::string& data) const {
    if (comparable_) return part.classes;
    return data == experiment_.stand_in ? experiment_.stand_in_classes : std::vector<std::string>{};
  }

  void take_measure_of_stand_in() {
    if (experiment_.stand_in_measure == experiment_.measure) return;
    for (PaperMethod& method : experiment_.methods) method.paper.clear();  // of another measure
    for (PaperClaim& claim : experiment_.claims) {
      if (claim.measure != experiment_.measure) continue;
      claim.measure = experiment_.stand_in_measure;
      if (!claim.ratio) claim.at_least = claim.at_most = claim.paper = std::nullopt;
    }
    experiment_.measure = experiment_.stand_in_measure;
  }

  std::string sweep_name() const { return experiment_.sweep ? experiment_.sweep->name : ""; }

  std::vector<double> sweep_values() const {
    return options_.quick ? experiment_.sweep->quick_values : experiment_.sweep->values;
  }

  // One run of the protocol each.
  std::vector<std::optional<double>> protocol_values() const {
    if (!experiment_.sweep || !experiment_.sweep->in_protocol) return {std::nullopt};
    const std::vector<double> values = sweep_values();
    return {values.begin(), values.end()};
  }

  ProtocolOptions protocol(const PaperPart& part, const std::optional<double>& value) const {
    OptionsOf<ProtocolOptions> out(ProtocolOptions{});
    set_options(out, experiment_.protocol);
    if (!comparable_) set_options(out, experiment_.stand_in_protocol);
    if (options_.quick) set_options(out, experiment_.quick);
    set_options(out, part.protocol);
    if (value) out.set("protocol", experiment_.sweep->name, number_text(*value));
    return out.values;
  }

  // A method once for every value that its recipe takes.
  void add_methods(const PaperMethod& method, const PaperPart& part,
                   const std::optional<double>& protocol_value, MeasuredRun& run,
                   std::vector<Method>& methods) const {
    const auto add = [&](const std::optional<double>& value) {
      methods.push_back({as_folder_name(full_name({method.name, "", value, {}}, sweep_name())),
                         recipe_at(experiment_, method, value)});
      if (!method.universal_from.empty()) learn_universal(method.universal_from, methods.back());
      run.measured.push_back({method.name, part.name, value, {}});
    };
    if (!experiment_.sweep || experiment_.sweep->in_protocol) return add(protocol_value);
    for (const double value : sweep_values())
      if (method.at.empty() || std::ranges::find(method.at, value) != method.at.end()) add(value);
  }

  // From all pictures of another data set, as `muster train --save-universal` does without the
  // classifier.
  void learn_universal(const std::string& data, Method& method) const {
    const fs::path folder = options_.data / data;
    if (!fs::exists(folder)) throw missing_data(experiment_, folder, find_data(data));
    const Plan plan = plan_recipe(method.recipe);
    method.universal = options_.out / "universal" / (method.name + ".safetensors");
    require_universal_stage(plan, method.universal);
    make_folder(method.universal.parent_path());
    announce_(fmt::format("learning a universal mixture from {}", data));
    const Dataset dataset = open_dataset(folder);
    const CachedSource source(dataset, options_.source);
    std::vector<size_t> items(dataset.items.size());
    std::iota(items.begin(), items.end(), size_t{0});
    for (const ItemFailure& failure :
         source.prepare(plan.branches[0].extraction.get(), items, progress_))
      std::erase(items, failure.item);
    const Rng rng = Rng(experiment_.seed).derive("universal");
    const FittedBranch branch =
        fit_branch(plan.branches[0], source, items, dataset.labels.select(items), rng, progress_);
    save_universal(plan.branches[0], branch, method.universal);
    text_of_first_rank("");  // the others read it when it is there
  }

  MeasuredRun run_part(const PaperPart& part, const std::optional<double>& value,
                       const Dataset& dataset) const {
    MeasuredRun run;
    ExperimentOptions options;
    for (const PaperMethod& method : experiment_.methods)
      add_methods(method, part, value, run, options.methods);
    options.protocol = protocol(part, value);
    options.seed = experiment_.seed;
    options.source = options_.source;
    std::string folder = as_folder_name(part.name);
    if (value) folder += "-" + as_folder_name(number_text(*value));
    options.out = options_.out / "runs" / folder;
    if (folder != "all") announce_("== " + folder);
    options.may_run = [&](const std::string& method, size_t split) {
      const bool early =
          options_.first_splits == 0 || split < static_cast<size_t>(options_.first_splits);
      return early && (folder + "/" + method).find(options_.only) != std::string::npos;
    };
    run.facts = run_experiment(dataset, options, progress_, announce_);
    take_results(options.methods, run);
    return run;
  }

  // Methods of which no split was done have no result.
  static void take_results(const std::vector<Method>& methods, MeasuredRun& run) {
    std::vector<Measured> done;
    for (size_t m = 0; m < methods.size(); ++m) {
      const auto found =
          std::ranges::find(run.facts.methods, methods[m].name, &MethodResult::method);
      if (found == run.facts.methods.end()) continue;
      done.push_back(std::move(run.measured[m]));
      done.back().result = std::move(*found);
    }
    run.measured = std::move(done);
    run.facts.methods.clear();
  }

  PaperExperiment experiment_;
  const ReproduceOptions& options_;
  const Progress& progress_;
  const Announce& announce_;
  bool comparable_ = true;
};

std::vector<std::string> notes_of(const PaperExperiment& experiment,
                                  const ReproduceOptions& options, const std::string& other_data) {
  std::vector<std::string> notes;
  if (!experiment.about.empty()) notes.push_back(experiment.about);
  if (!experiment.differs.empty()) notes.push_back("What differs: " + experiment.differs);
  if (options.quick)
    notes.emplace_back("A quick run: fewer splits or values than the paper's protocol asks for.");
  if (!other_data.empty())
    notes.push_back(fmt::format(
        "On {} instead of the paper's {}: the figures cannot be compared, their order can.",
        other_data, experiment.data));
  return notes;
}

std::string command_of(const PaperExperiment& experiment, const ReproduceOptions& options,
                       const std::string& other_data) {
  std::string out = "muster reproduce " + experiment.name;
  if (experiment.study.empty()) out += " --data DIR";
  if (options.quick) out += " --quick";
  if (other_data.empty()) return out;
  return out + (other_data == experiment.stand_in ? " --stand-in" : " --on " + other_data);
}

}  // namespace

Recipe recipe_at(const PaperExperiment& experiment, const PaperMethod& method,
                 const std::optional<double>& value) {
  const bool fills = value && experiment.sweep && !experiment.sweep->in_protocol;
  const auto filled = [&](const std::string& text) {
    return fills ? replace_all(text, "{" + experiment.sweep->name + "}", number_text(*value))
                 : text;
  };
  Recipe recipe = recipe_of_method(filled(method.recipe));
  for (const std::string& assignment : method.overrides)
    override_option(recipe, filled(assignment));
  return recipe;
}

fs::path data_folder(const PaperExperiment& experiment, const ReproduceOptions& options) {
  MUSTER_CHECK(!experiment.data.empty());
  if (!options.on.empty()) {
    fs::path named = options.data / options.on;
    if (fs::exists(named)) return named;
    throw data_error("reproduce {}: {} is not there; --on takes the name of a folder in {}",
                     experiment.name, named.string(), options.data.string());
  }
  fs::path wanted = options.data / experiment.data;
  if (fs::exists(wanted)) return wanted;
  fs::path other = options.data / experiment.stand_in;
  const bool has_other = !experiment.stand_in.empty() && fs::exists(other);
  if (has_other && options.stand_in) return other;
  throw missing_data(
      experiment, wanted, find_data(experiment.data),
      has_other ? fmt::format(". --stand-in runs the same on {}", other.string()) : "");
}

Dataset select_classes(const Dataset& dataset, const std::vector<std::string>& classes) {
  if (classes.empty()) return dataset;
  std::vector<std::string> names = classes;
  std::ranges::sort(names);
  std::map<int, int> number;  // old to new
  for (size_t c = 0; c < names.size(); ++c) {
    const auto& all = dataset.labels.class_names;
    const auto found = std::ranges::find(all, names[c]);
    if (found == all.end())
      throw data_error("{}: it has no class '{}'; its classes are: {}", dataset.root.string(),
                       names[c], fmt::join(all, ", "));
    number[static_cast<int>(found - all.begin())] = static_cast<int>(c);
  }
  std::vector<size_t> kept;
  for (size_t i = 0; i < dataset.items.size(); ++i)
    if (dataset.labels.first(i) >= 0 && number.contains(dataset.labels.first(i))) kept.push_back(i);
  Dataset out;
  out.kind = dataset.kind;
  out.root = dataset.root;
  out.labels.class_names = names;
  for (const size_t i : kept) {
    out.items.push_back(dataset.items[i]);
    out.labels.of_item.push_back({number[dataset.labels.first(i)]});
  }
  return out;
}

Results reproduce(const PaperExperiment& experiment, const ReproduceOptions& options,
                  const Progress& progress, const Announce& announce) {
  make_folder(options.out);
  Results results = experiment.study.empty()
                        ? Reproduction(experiment, options, progress, announce).run()
                        : run_study(experiment, options.quick, progress);
  const bool on_other_data = results.data && results.data->path != experiment.data;
  const std::string other_data = on_other_data ? results.data->path : "";
  results.title = experiment.paper + ": " + experiment.title;
  results.experiment = {experiment.name, experiment.paper, experiment.title, options.quick,
                        command_of(experiment, options, other_data)};
  results.notes = notes_of(experiment, options, other_data);
  write_results(options.out / "results.json", results);
  write_file_atomically(options.out / "summary.json", summary_json(results).dump(1) + "\n");
  return results;
}

}  // namespace muster
