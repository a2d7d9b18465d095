#include "muster/api/item_labels.h"
#include "muster/api/model_state.h"
#include "muster/api/run.h"
#include "muster/core/error.h"
#include "muster/pipeline/fit.h"
#include "muster/pipeline/universal_file.h"
#include "muster/recipe/default_method.h"
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

// `items` of the source with one entry of `labels` each.
Model train_source(const SetSource& source, ItemKind kind, std::span<const size_t> items,
                   const Labels& labels, const TrainOptions& options, const Run& run) {
  std::optional<UniversalFile> universal;
  if (!options.universal.empty()) universal = UniversalFile::load(options.universal);
  const Plan plan = plan_recipe(fit_to_data(
      chosen_recipe({options.method, options.recipe, options.set}, default_method(kind)), kind,
      run.notice()));
  if (options.class_mixtures) require_universal_stage(plan, "class mixtures");
  FitReport report;
  FitOptions fit;
  fit.seconds = &report.seconds;
  fit.keep_training = options.keep_training;
  fit.universal = universal ? &*universal : nullptr;
  fit.class_mixtures = options.class_mixtures;
  if (!options.strict)
    fit.left_out = [&](std::span<const ItemFailure> failures) {
      run.say_left_out(reasons_of(failures));
      std::ranges::move(named(source, failures), std::back_inserter(report.left_out));
    };
  Pipeline pipeline = fit_pipeline(plan, source, items, labels, options.seed, run.progress(), fit);
  report.items = items.size() - report.left_out.size();
  report.fit = fit_facts(pipeline);
  add_warnings(run, report);
  return make_model(std::move(pipeline), std::move(report));
}

template <class Texts>
Model train_inputs(Inputs items, const Texts& texts, const TrainOptions& options) {
  const Run run(run_options(options), "train");
  const Labels labels = make_labels(texts, items.size());
  const CachedSource source(std::make_unique<InputSource>(items), run.source());
  const ItemKind kind = common_kind(source, "train");
  return train_source(source, kind, all_items_of(source), labels, options, run);
}

}  // namespace

Model train(const std::filesystem::path& data, const TrainOptions& options) {
  const Run run(run_options(options), "train");
  const Dataset dataset = open_dataset(data);
  run.say_left_out(dataset.notes);
  const CachedSource source(dataset, run.source());
  const std::vector<size_t> items = items_of_part(dataset, Part::kTrain);
  return train_source(source, dataset.kind, items, dataset.labels.select(items), options, run);
}

Model train(Inputs items, std::span<const std::string> labels, const TrainOptions& options) {
  return train_inputs(items, labels, options);
}

Model train(Inputs items, std::span<const std::vector<std::string>> labels,
            const TrainOptions& options) {
  return train_inputs(items, labels, options);
}

}  // namespace muster
