#include "muster/experiment/experiment.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "muster/core/memory.h"
#include "muster/crossval/cross_validation.h"
#include "muster/experiment/raw_split.h"
#include "muster/experiment/run_facts.h"
#include "muster/experiment/split_measures.h"
#include "muster/pipeline/choice_file.h"
#include "muster/pipeline/fit.h"
#include "muster/pipeline/kernel_fusion.h"
#include "muster/pipeline/universal_file.h"
#include "muster/pipeline/version.h"
#include "muster/results/results_json.h"
#include "muster/source/readable.h"
#include "muster/store/atomic_file.h"
#include "muster/store/npy.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr double kGatherSeconds = 10;
// What tells which pictures can be read before a recipe is chosen.
constexpr const char* kGlanceRecipe = "rgb:step=16,size=8/bow";

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A concept against everything else, as two classes.
Labels one_concept(const Labels& labels, int concept_index) {
  Labels out;
  const std::string& name = labels.class_names[static_cast<size_t>(concept_index)];
  out.class_names = {"not " + name, name};
  for (size_t i = 0; i < labels.size(); ++i)
    out.of_item.push_back({labels.target(i, concept_index) > 0 ? 1 : 0});
  return out;
}

// One per branch, if weights were learned or there are several kernels to weigh.
std::vector<KernelShare> learned_weights(const Pipeline& pipeline) {
  const Plan& plan = pipeline.plan();
  const bool learned = std::ranges::any_of(
      plan.branches, [](const BranchPlan& branch) { return branch.learns_weights(); });
  if (plan.on_vectors() || (!learned && !plan.weight_learning())) return {};
  std::vector<KernelShare> out;
  const std::vector<BranchShare> shares = kernel_shares(pipeline.branches());
  const std::vector<std::string> names = plan.branch_names();
  for (size_t b = 0; b < shares.size(); ++b)
    out.push_back({names[b], shares[b].share, shares[b].parts});
  return out;
}

StageTimes times_of(double features, const StageSeconds& stages, double train, double test) {
  StageTimes out{{"features", features}};
  out.insert(out.end(), stages.begin(), stages.end());
  out.emplace_back("train", train);
  out.emplace_back("test", test);
  return out;
}

void add_statistics(const FitStatistics& statistics, SplitResult& result) {
  result.C = statistics.C;
  result.indefinite = statistics.indefinite;
  result.convergence = statistics.convergence;
}

void add_choice(const Chosen& chosen, SplitResult& result) {
  result.recipe = chosen.recipe.text();
  result.estimate = chosen.choice.estimate;
  if (result.estimate) result.estimate_error = chosen.choice.error;
}

class Experiment {
 public:
  Experiment(const Dataset& dataset, const ExperimentOptions& options, const Progress& progress,
             const Announce& announce)
      : dataset_(dataset),
        options_(options),
        progress_(progress),
        announce_(announce),
        source_(dataset, options.source) {
    for (const Method& method : options.methods) {
      universals_.push_back(method.universal.empty()
                                ? std::nullopt
                                : std::optional(UniversalFile::load(method.universal)));
      plans_.push_back(plan_recipe(method.choose ? parse_recipe(kGlanceRecipe) : method.recipe));
      if (method.choose && universals_.back())
        throw usage_error("bench: a universal mixture belongs to one recipe, and {} tries several",
                          method.name);
      if (!method.choose && !plans_.back().classifier)
        throw usage_error("bench: method {} has no classifier; end its recipe with one",
                          method.name);
    }
    is_fused_.resize(plans_.size());
    for (const Fusion& fusion : options.fusions)
      for (const size_t member : fusion.members) is_fused_.at(member) = true;
  }

  Results run() {
    require_same_items(source_);
    make_folder(options_.out / "raw");
    extract_features();
    split();
    auto written = std::chrono::steady_clock::now();
    for (size_t s = 0; s < splits_.list.size(); ++s) {
      for (size_t m = 0; m < plans_.size(); ++m) {
        std::optional<RawSplit> raw = load_or_run(m, s);
        if (!raw) continue;
        results_of_[m].push_back(std::move(raw->result));
        probabilities_[m] = std::move(raw->probabilities);
        // What is done is safe in raw/; gathering it takes longer the more there is.
        if (seconds_since(written) < kGatherSeconds) continue;
        write_results(options_.out / "results.json", record());
        written = std::chrono::steady_clock::now();
      }
      for (size_t f = 0; f < options_.fusions.size(); ++f) {
        const size_t m = plans_.size() + f;
        results_of_[m].push_back(fuse_split(options_.fusions[f], splits_.list[s]));
        announce_(summary(m, s, results_of_[m].back()));
      }
    }
    Results out = record();
    write_results(options_.out / "results.json", out);
    return out;
  }

 private:
  void extract_features() {
    std::set<size_t> bad;
    std::map<std::string, double> seconds;
    std::vector<size_t> all(dataset_.items.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = i;
    for (size_t m = 0; m < plans_.size(); ++m) {
      // The first one's tell which pictures cannot be read, also if nothing is run.
      if (m > 0 && options_.may_run && !options_.may_run(options_.methods[m].name, 0)) continue;
      for (const BranchPlan& branch : plans_[m].branches) {
        const std::string key = branch.extractor ? branch.extractor->full_spec().text() : "";
        if (seconds.contains(key)) continue;
        const auto start = std::chrono::steady_clock::now();
        for (const ItemFailure& failure : source_.prepare(branch.extraction.get(), all, progress_))
          if (bad.insert(failure.item).second) left_out_.push_back(failure.reason);
        seconds[key] = seconds_since(start);
      }
    }
    for (const Plan& plan : plans_) {
      double total = 0;
      for (const BranchPlan& branch : plan.branches)
        total += seconds[branch.extractor ? branch.extractor->full_spec().text() : ""];
      feature_seconds_.push_back(total);
    }
    for (size_t i : all)
      if (!bad.contains(i)) usable_.push_back(i);
    if (!left_out_.empty())
      announce_(fmt::format("{} items cannot be read and are left out", left_out_.size()));
    if (usable_.empty()) throw data_error("bench: none of the {} items can be read", all.size());
  }

  void split() {
    labels_ = dataset_.labels.select(usable_);
    std::vector<std::string> groups;
    std::vector<int> marks;
    for (size_t item : usable_) {
      groups.push_back(dataset_.items[item].group);
      marks.push_back(static_cast<int>(dataset_.items[item].part));
    }
    splits_ =
        make_splits(options_.protocol, labels_, groups, marks, Rng(options_.seed).derive("splits"));
    for (const std::string& note : splits_.notes) announce_(note);
    data_key_ = data_key(dataset_, usable_);
    results_of_.resize(plans_.size() + options_.fusions.size());
    probabilities_.resize(plans_.size());
  }

  // Everything that the result of a split depends on.
  std::string key_of(size_t m, size_t s) const {
    nlohmann::ordered_json protocol = nlohmann::ordered_json::object();
    for (const auto& [name, text] : protocol_facts(options_.protocol)) protocol[name] = text;
    std::string key = fmt::format("{} {} {} {} {} split {}", kVersion, data_key_, recipe_text(m),
                                  protocol.dump(), options_.seed, s);
    if (universals_[m]) key += " universal " + universals_[m]->checksum;
    return key;
  }

  // With every option, or the effort and the overrides of a choice.
  std::string recipe_text(size_t m) const {
    const auto& choose = options_.methods[m].choose;
    if (!choose) return plans_[m].recipe().text();
    std::string out =
        fmt::format("auto:effort={}", kEffortNames[static_cast<size_t>(choose->effort)]);
    for (const std::string& assignment : choose->overrides) out += "," + assignment;
    return out;
  }

  // None if it was not done before and may not be run now.
  std::optional<RawSplit> load_or_run(size_t m, size_t s) {
    const Split& split = splits_.list[s];
    const std::string key = key_of(m, s);
    const fs::path stem = options_.out / "raw" / fmt::format("{}.{:03}", file_name(m), s);
    const fs::path file = stem.string() + ".json";
    const size_t num_classes = split.label >= 0 ? 2 : labels_.class_names.size();
    if (auto kept = read_raw_split(file, key, num_classes);
        kept && (!is_fused_[m] || !kept->probabilities.empty())) {
      announce_(fmt::format("{}: split {} of {} was done before", options_.methods[m].name, s + 1,
                            splits_.list.size()));
      return std::move(*kept);
    }
    if (options_.may_run && !options_.may_run(options_.methods[m].name, s)) return std::nullopt;
    RawSplit raw = run_split(m, split, stem.string() + ".scores.npy");
    raw.key = key;
    write_raw_split(file, raw);
    announce_(summary(m, s, raw.result));
    return raw;
  }

  // Presets by their name, recipes by number: their text may be longer than a file name.
  std::string file_name(size_t m) const {
    const std::string& name = options_.methods[m].name;
    return name.find('/') == std::string::npos ? name : fmt::format("recipe-{}", m + 1);
  }

  // Methods first, then fusions.
  const std::string& name_of(size_t m) const {
    return m < plans_.size() ? options_.methods[m].name : options_.fusions[m - plans_.size()].name;
  }

  std::string summary(size_t m, size_t s, const SplitResult& result) const {
    const auto& accuracy = result.measures.accuracy;
    return fmt::format("{}: split {} of {}: {} {:.1f} %", name_of(m), s + 1, splits_.list.size(),
                       accuracy ? "accuracy" : "mean average precision",
                       100 * accuracy.value_or(result.measures.map.value_or(0)));
  }

  std::vector<size_t> items_of(const std::vector<size_t>& indices) const {
    std::vector<size_t> items;
    items.reserve(indices.size());
    for (size_t i : indices) items.push_back(usable_[i]);
    return items;
  }

  Labels labels_of(const Split& split) const {
    return split.label >= 0 ? one_concept(labels_, split.label) : labels_;
  }

  SplitResult measured(const Split& split, const Matrix<double>& scores,
                       const Matrix<double>& probabilities) const {
    SplitResult result = split_measures(dataset_, items_of(split.test),
                                        labels_of(split).select(split.test), scores, probabilities);
    result.seed = split.seed;
    if (split.label >= 0)
      result.concept_name = labels_.class_names[static_cast<size_t>(split.label)];
    return result;
  }

  RawSplit run_split(size_t m, const Split& split, const fs::path& scores_file) {
    const std::vector<size_t> train = items_of(split.train), test = items_of(split.test);
    Labels labels = labels_of(split).select(split.train);
    StageSeconds seconds;
    const auto start = std::chrono::steady_clock::now();
    const uint64_t fit_seed = Rng(options_.seed).derive("fit").derive(split.seed).next();
    std::optional<Chosen> chosen;
    if (options_.methods[m].choose) {
      ChooseOptions how = *options_.methods[m].choose;
      how.seed = fit_seed;
      if (options_.protocol.protocol == Protocol::kLeaveOneObjectOut) {
        std::vector<std::string> objects;
        for (const size_t item : train) objects.push_back(dataset_.items[item].group);
        labels.group_by(objects);
      }
      chosen = choose_recipe(source_, train, labels, how, progress_);
      seconds["choose"] = seconds_since(start);
    }
    FitOptions how;
    how.seconds = &seconds;
    how.universal = universals_[m] ? &*universals_[m] : nullptr;
    if (chosen && chosen->held_out) how.held_out = &*chosen->held_out;
    const Pipeline pipeline = fit_pipeline(chosen ? plan_recipe(chosen->recipe) : plans_[m],
                                           source_, train, labels, fit_seed, progress_, how);
    const double train_seconds = seconds_since(start);
    const auto test_start = std::chrono::steady_clock::now();
    const Matrix<double> scores = pipeline.score(source_, test, progress_, &seconds).scores;
    const double test_seconds = seconds_since(test_start);
    write_npy(scores_file, scores);
    Matrix<double> probabilities = pipeline.classifier().probabilities(scores);
    SplitResult result = measured(split, scores, probabilities);
    result.seconds = times_of(feature_seconds_[m], seconds, train_seconds, test_seconds);
    if (const FitStatistics* statistics = pipeline.classifier().statistics())
      add_statistics(*statistics, result);
    if (chosen) add_choice(*chosen, result);
    result.kernel_shares = learned_weights(pipeline);
    result.num_train = train.size();
    result.num_test = test.size();
    result.peak_memory_mib = peak_memory_mib();
    if (!is_fused_[m]) probabilities = {};
    return {"", std::move(result), std::move(probabilities)};
  }

  // The weighted mean of the members' probabilities, as scores.
  SplitResult fuse_split(const Fusion& fusion, const Split& split) const {
    Matrix<double> mean;
    double total = 0;
    for (double weight : fusion.weights) total += weight;
    StageTimes seconds;
    for (size_t f = 0; f < fusion.members.size(); ++f) {
      const size_t member = fusion.members[f];
      const Matrix<double>& rows = probabilities_[member];
      if (mean.empty()) mean = Matrix<double>(rows.rows(), rows.cols());
      for (size_t r = 0; r < mean.rows(); ++r)
        for (size_t c = 0; c < mean.cols(); ++c)
          mean(r, c) += fusion.weights[f] / total * rows(r, c);
      for (const auto& [stage, value] : results_of_[member].back().seconds)
        add_seconds(seconds, stage, value);
    }
    SplitResult result = measured(split, mean, mean);
    result.seconds = std::move(seconds);
    return result;
  }

  MethodResult method_record(size_t m) const {
    MethodResult out;
    out.method = name_of(m);
    if (m < plans_.size()) {
      out.recipe = options_.methods[m].choose ? recipe_text(m) : options_.methods[m].recipe.text();
      out.full_recipe = recipe_text(m);
      if (const auto& used = universals_[m])
        out.universal = {used->path.filename().string(), used->checksum};
    } else {
      const Fusion& fusion = options_.fusions[m - plans_.size()];
      for (const size_t member : fusion.members) out.fused.push_back(name_of(member));
      out.weights = fusion.weights;
    }
    out.splits = results_of_[m];
    out.measures = mean_measures(out.splits);
    out.labels = mean_of_labels(out.splits, labels_.class_names);
    out.peak_memory_mib = 0;
    for (const SplitResult& split : out.splits) {
      for (const auto& [stage, value] : split.seconds)
        add_seconds(out.seconds, stage, value / static_cast<double>(out.splits.size()));
      out.peak_memory_mib = std::max(*out.peak_memory_mib, split.peak_memory_mib.value_or(0));
    }
    return out;
  }

  Results record() const {
    const bool concepts = options_.protocol.protocol == Protocol::kPosNeg;
    Results out;
    out.version = kVersion;
    out.seed = options_.seed;
    out.class_names = concepts ? std::vector<std::string>{"without", "with"} : labels_.class_names;
    out.data = {"",        usable_.size(), static_cast<size_t>(labels_.num_classes()),
                left_out_, splits_.notes,  data_key_};
    out.protocol = protocol_facts(options_.protocol);
    out.machine = machine_facts();
    for (size_t m = 0; m < results_of_.size(); ++m)
      if (!results_of_[m].empty()) out.methods.push_back(method_record(m));
    return out;
  }

  const Dataset& dataset_;
  const ExperimentOptions& options_;
  const Progress& progress_;
  const Announce& announce_;
  CachedSource source_;
  std::vector<Plan> plans_;
  std::vector<std::optional<UniversalFile>> universals_;  // of each method
  std::vector<bool> is_fused_;  // methods whose probabilities a fusion needs
  std::vector<double> feature_seconds_;
  std::vector<std::string> left_out_;
  std::vector<size_t> usable_;
  Labels labels_;
  Splits splits_;
  std::string data_key_;
  std::vector<std::vector<SplitResult>> results_of_;  // methods, then fusions
  std::vector<Matrix<double>> probabilities_;         // of the members of fusions, last split
};

}  // namespace

Results run_experiment(const Dataset& dataset, const ExperimentOptions& options,
                       const Progress& progress, const Announce& announce) {
  return Experiment(dataset, options, progress, announce).run();
}

}  // namespace muster
