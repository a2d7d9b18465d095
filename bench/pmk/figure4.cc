// Accuracy against run time for set kernels with growing numbers of features (PMK figure 4), on one
// thread:
//   figure4 DATA OUT.json STEPS NAME=RECIPE[,,RECIPE...] ...
// STEPS are grid steps in pixels (28,16,...), put where a recipe says {step}. A recipe ends in a
// kernel; of several, and of the widths that a kernel leaves open, cross-validation on the training
// items of a split takes the best. Leave one object out; C = 10 for all. Reductions and
// vocabularies are fitted once, on the vectors of all items without their labels, and the kernel
// matrix of all items is computed once: that is what is timed (CPU seconds; feature extraction is
// not).
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "muster/core/parallel.h"
#include "muster/evaluate/splits.h"
#include "muster/pipeline/fit.h"
#include "muster/source/cached_source.h"
#include "peers/side_by_side.h"

namespace muster::bench {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> split_text(const std::string& text, const std::string& separator) {
  std::vector<std::string> out;
  size_t begin = 0;
  for (size_t end; (end = text.find(separator, begin)) != std::string::npos;
       begin = end + separator.size())
    out.push_back(text.substr(begin, end - begin));
  out.push_back(text.substr(begin));
  return out;
}

// The Grams of all items, one per width on offer, and the seconds that one of them took with all it
// needs.
struct Timed {
  std::vector<Matrix<double>> grams;
  Psd psd = Psd::kAlways;
  double features = 0;  // mean number per picture
  double fit_s = 0, represent_s = 0, gram_s = 0;
};

Timed measure(const std::string& recipe, const Dataset& dataset, const std::vector<size_t>& items) {
  const Plan plan = plan_recipe(parse_recipe(recipe));
  const BranchPlan& branch_plan = plan.branches[0];
  const CachedSource source(dataset);
  source.prepare(branch_plan.extraction.get(), items, {});
  Timed out;
  for (const size_t item : items)
    out.features += static_cast<double>(source.load(branch_plan.extraction.get(), item).size());
  out.features /= static_cast<double>(items.size());

  const auto now = [] { return clock_seconds(CLOCK_PROCESS_CPUTIME_ID); };
  const double start = now();
  const FittedBranch branch = fit_branch(branch_plan, source, items, dataset.labels, Rng(1), {});
  const double fitted = now();
  const Represented sets = represent_items(branch, source, items, {});
  const double represented = now();
  const auto kernels = branch.kernel->candidates(sets);
  const double before_gram = now();
  for (const auto& kernel : kernels) {
    Matrix<double>& gram = out.grams.emplace_back(items.size(), items.size());
    kernel->gram(sets, sets, gram, {});
  }
  out.psd = plan.branches[0].psd();
  out.fit_s = fitted - start;
  out.represent_s = represented - fitted;
  out.gram_s = (now() - before_gram) / static_cast<double>(kernels.size());
  return out;
}

Matrix<double> part_of(const Matrix<double>& gram, const std::vector<size_t>& rows,
                       const std::vector<size_t>& cols) {
  Matrix<double> out(rows.size(), cols.size());
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t j = 0; j < cols.size(); ++j) out(i, j) = gram(rows[i], cols[j]);
  return out;
}

double accuracy(const std::vector<Matrix<double>>& grams, Psd psd, const Labels& labels,
                const std::vector<Split>& splits) {
  const StageEntry& svm = find_stage("kernel-svm");
  const std::unique_ptr<AnyOptions> options = svm.make_options();
  options->set("kernel-svm", "C", "10");
  options->set("kernel-svm", "calibrate", "false");
  size_t correct = 0, tested = 0;
  for (const Split& split : splits) {
    const GramChoice choice =
        std::get<GramClassifierStage>(svm.functions)
            .fit(*options,
                 {grams.size(),
                  [&](size_t c) { return part_of(grams[c], split.train, split.train); },
                  {}},
                 psd, labels.select(split.train), Rng(1), {});
    const Matrix<double> scores = choice.classifier->scores_from_gram(
        part_of(grams[choice.candidate], split.test, split.train));
    for (size_t i = 0; i < split.test.size(); ++i)
      correct += std::ranges::max_element(scores.row(i)) - scores.row(i).begin() ==
                 labels.first(split.test[i]);
    tested += split.test.size();
  }
  return static_cast<double>(correct) / static_cast<double>(tested);
}

// One point of the figure: all recipes of a method at one step.
Json point(const std::vector<std::string>& recipes, const std::string& step, const Dataset& dataset,
           const std::vector<size_t>& items, const std::vector<Split>& splits) {
  std::vector<Matrix<double>> grams;
  Psd psd = Psd::kAlways;
  Json timings = Json::array();
  double seconds = 0, features = 0;
  for (std::string recipe : recipes) {
    const std::string placeholder = "{step}";
    if (const size_t at = recipe.find(placeholder); at != std::string::npos)
      recipe.replace(at, placeholder.size(), step);
    Timed timed = measure(recipe, dataset, items);
    timings.push_back({{"recipe", recipe},
                       {"fit_s", timed.fit_s},
                       {"represent_s", timed.represent_s},
                       {"gram_s", timed.gram_s},
                       {"widths", timed.grams.size()}});
    seconds +=
        (timed.fit_s + timed.represent_s + timed.gram_s) / static_cast<double>(recipes.size());
    features = timed.features;
    psd = std::max(psd, timed.psd);
    std::ranges::move(timed.grams, std::back_inserter(grams));
  }
  return {{"step", std::stoi(step)},
          {"features", features},
          {"accuracy", accuracy(grams, psd, dataset.labels, splits)},
          {"seconds", seconds},
          {"recipes", timings}};
}

int run(int argc, char** argv) {
  if (argc < 5) {
    fmt::print(stderr, "usage: figure4 DATA OUT.json STEPS NAME=RECIPE[,,RECIPE...] ...\n");
    return 2;
  }
  const ThreadLimit one(1);
  const Dataset dataset = open_dataset(argv[1]);
  std::vector<size_t> items(dataset.items.size());
  std::iota(items.begin(), items.end(), size_t{0});
  std::vector<std::string> groups;
  for (const Item& item : dataset.items) groups.push_back(item.group);
  ProtocolOptions protocol;
  protocol.protocol = Protocol::kLeaveOneObjectOut;
  const std::vector<Split> splits = make_splits(protocol, dataset.labels, groups, {}, Rng(1)).list;
  Json out{{"data", dataset.root.filename().string()},
           {"items", items.size()},
           {"machine", machine_facts()}};
  out["methods"] = Json::array();
  for (int m = 4; m < argc; ++m) {
    const std::string argument = argv[m];
    const size_t equals = argument.find('=');
    Json method{{"name", argument.substr(0, equals)}, {"points", Json::array()}};
    for (const std::string& step : split_text(argv[3], ",")) {
      method["points"].push_back(
          point(split_text(argument.substr(equals + 1), ",,"), step, dataset, items, splits));
      const Json& last = method["points"].back();
      fmt::print("{:<10} step {:>3} {:>7.1f} features {:>6.1f} % {:>9.2f} s\n",
                 method["name"].get<std::string>(), step, last["features"].get<double>(),
                 100 * last["accuracy"].get<double>(), last["seconds"].get<double>());
      std::fflush(stdout);
    }
    out["methods"].push_back(std::move(method));
    std::ofstream(argv[2]) << out.dump(1)
                           << '\n';  // after every method: a long run may be cut short
  }
  return 0;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) { return muster::bench::run(argc, argv); }
