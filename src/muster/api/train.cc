#include <set>

#include "muster/api/item_labels.h"
#include "muster/api/model_state.h"
#include "muster/api/run.h"
#include "muster/choose/choose.h"
#include "muster/core/error.h"
#include "muster/core/timer.h"
#include "muster/pipeline/fit.h"
#include "muster/pipeline/universal_file.h"
#include "muster/recipe/method_choice.h"
#include "muster/source/cached_source.h"
#include "muster/source/input_source.h"
#include "muster/source/readable.h"

namespace muster {
namespace {

void warn(const Run& run, std::string message, FitReport& report) {
  run.say(message);
  report.warnings.push_back(std::move(message));
}

void add_warnings(const Run& run, FitReport& report) {
  if (!report.fit) return;
  if (const auto& found = report.fit->indefinite)
    warn(run,
         fmt::format("the kernel matrix is not positive semi-definite: {} of {} eigenvalues are "
                     "negative, the smallest is {:.3g}, the largest {:.3g}; it was treated as the "
                     "classifier's option indefinite says",
                     found->negative, report.items, found->smallest_eigenvalue,
                     found->largest_eigenvalue),
         report);
  if (const auto& convergence = report.fit->convergence; convergence && !convergence->reached)
    warn(run,
         fmt::format("the solver stopped after {} steps with an error of {:.2g}, more than its "
                     "tolerance; raise max_steps or tolerance, or lower C",
                     convergence->steps, convergence->violation),
         report);
}

// The items to learn from, with one entry of labels each.
struct TrainingItems {
  std::vector<size_t> items;
  Labels labels;
};

bool chooses(const TrainOptions& options) {
  return options.recipe.empty() && (options.method.empty() || options.method == kAutoMethod);
}

// A class of which nothing is left to learn from must not stay in the model unnoticed. `gone` are
// the items that cannot be read.
void require_every_class(const TrainingItems& training, const std::set<size_t>& gone,
                         const std::string& why, const Run& run, FitReport& report) {
  std::vector<size_t> left(training.labels.class_names.size());
  for (size_t i = 0; i < training.items.size(); ++i)
    if (!gone.contains(training.items[i]))
      for (const int label : training.labels.of_item[i]) ++left[static_cast<size_t>(label)];
  for (size_t k = 0; k < left.size(); ++k) {
    if (left[k] > 0) continue;
    const std::string message = fmt::format("class '{}': {}", training.labels.class_names[k], why);
    if (training.labels.single_label())
      throw data_error("{}; mend its items or take the class out of the data", message);
    warn(run, message + ", so the model never says it", report);
  }
}

// What "auto" chooses; the choice goes to the report.
Chosen choose(const SetSource& source, const TrainingItems& training, const TrainOptions& options,
              const Run& run, FitReport& report) {
  if (!options.universal.empty())
    throw usage_error(
        "universal {}: the mixture belongs to one method; name it (fisher, supervector, ppk, klk)",
        options.universal.string());
  if (!options.source.features.empty())
    throw usage_error(
        "features {}: they belong to one method, and \"auto\" tries several; name a method or a "
        "recipe",
        options.source.features.string());
  const Timer timer;
  Chosen chosen = choose_recipe(source, training.items, training.labels,
                                {.effort = options.effort,
                                 .seed = options.seed,
                                 .overrides = options.set,
                                 .one_branch = options.class_mixtures,
                                 .notice = run.notice()},
                                run.progress());
  report.choice = chosen.choice;
  report.seconds["choose"] = timer.seconds();
  return chosen;
}

std::vector<HeldOutAnswer> held_out_answers(const SetSource& source, const HeldOutScores& scored) {
  std::vector<HeldOutAnswer> out;
  if (!scored.labels.single_label()) return out;
  const auto chances = Calibration::fit(scored.scores, scored.labels).probabilities(scored.scores);
  for (size_t i = 0; i < scored.items.size(); ++i) {
    const auto row = chances.row(i);
    const auto best = std::ranges::max_element(row);
    const auto& names = scored.labels.class_names;
    out.push_back({source.name(scored.items[i]), names[static_cast<size_t>(scored.labels.first(i))],
                   names[static_cast<size_t>(best - row.begin())], *best});
  }
  return out;
}

Model train_source(const SetSource& source, ItemKind kind, const TrainingItems& training,
                   const TrainOptions& options, const Run& run) {
  std::optional<UniversalFile> universal;
  FitReport report;
  require_same_items(source);
  require_every_class(training, {}, "it has no item to learn from", run, report);
  Chosen chosen;
  if (chooses(options))
    chosen = choose(source, training, options, run, report);
  else
    chosen.recipe = fit_to_data(chosen_recipe({options.method, options.recipe, options.set}, ""),
                                kind, run.notice());
  const Plan plan = plan_recipe(chosen.recipe);
  if (!options.universal.empty()) universal = UniversalFile::load(options.universal);
  if (options.class_mixtures) require_universal_stage(plan, "class mixtures");
  FitOptions fit;
  fit.seconds = &report.seconds;
  fit.keep_training = options.keep_training;
  fit.universal = universal ? &*universal : nullptr;
  fit.class_mixtures = options.class_mixtures;
  fit.held_out = chosen.held_out ? &*chosen.held_out : nullptr;
  if (!options.strict)
    fit.left_out = [&](std::span<const ItemFailure> failures) {
      run.say_left_out(reasons_of(failures));
      std::ranges::move(named(source, failures), std::back_inserter(report.left_out));
      std::set<size_t> gone;
      for (const ItemFailure& failure : failures) gone.insert(failure.item);
      require_every_class(training, gone, "none of its items can be read", run, report);
    };
  Pipeline pipeline = fit_pipeline(plan, source, training.items, training.labels, options.seed,
                                   run.progress(), fit);
  if (report.choice) pipeline.set_choice(*report.choice);
  if (chosen.held_out) report.held_out = held_out_answers(source, *chosen.held_out);
  report.items = training.items.size() - report.left_out.size();
  report.fit = fit_facts(pipeline);
  add_warnings(run, report);
  return make_model(std::move(pipeline), std::move(report));
}

template <class Texts>
Model train_inputs(Inputs items, const Texts& texts, const TrainOptions& options) {
  const Run run(run_options(options), "train");
  if (options.by_object)
    throw usage_error("by_object: it goes by the file names of a data set on disk; give groups");
  Labels labels = make_labels(texts, items.size());
  if (!options.groups.empty()) {
    if (options.groups.size() != items.size())
      throw usage_error("{} groups for {} items: give one per item", options.groups.size(),
                        items.size());
    labels.group_by(options.groups);
  }
  const CachedSource source(std::make_unique<InputSource>(items), run.source());
  const ItemKind kind = common_kind(source, "train");
  return train_source(source, kind, {all_items_of(source), std::move(labels)}, options, run);
}

}  // namespace

Model train(const std::filesystem::path& data, const TrainOptions& options) {
  const Run run(run_options(options), "train");
  if (!options.groups.empty())
    throw usage_error("groups: they are of items in memory; for a data set on disk set by_object");
  const Dataset dataset = open_dataset(data);
  run.say_left_out(dataset.notes);
  const CachedSource source(dataset, run.source());
  TrainingItems training{items_of_part(dataset, Part::kTrain), {}};
  training.labels = dataset.labels.select(training.items);
  if (options.by_object) {
    std::vector<std::string> objects;
    for (const size_t item : training.items) objects.push_back(dataset.items[item].group);
    training.labels.group_by(objects);
  }
  return train_source(source, dataset.kind, training, options, run);
}

Model train(Inputs items, std::span<const std::string> labels, const TrainOptions& options) {
  return train_inputs(items, labels, options);
}

Model train(Inputs items, std::span<const std::vector<std::string>> labels,
            const TrainOptions& options) {
  return train_inputs(items, labels, options);
}

}  // namespace muster
