// Whether explanations are right on real pictures: deletion and insertion curves of the evidence,
// beside those of a random order, and how nearly contributions add up to the score.
//   faithfulness OUT.json DATA PICTURES [--development] [METHOD...]
//
// Trains each method on 100 pictures per class (the split of seed 1) and explains the class that it
// names for PICTURES others, the same for all methods. --development keeps to the training pictures
// (80 per class to train, the other 20 to explain): what settings are chosen by. A method is a
// named one or a recipe.
#include <cstdio>
#include <filesystem>

#include "explain/run.h"
#include "muster/dataset/dataset.h"
#include "muster/evaluate/splits.h"
#include "muster/explain/curves.h"
#include "muster/pipeline/fit.h"
#include "muster/source/cached_source.h"
#include "muster/store/atomic_file.h"
#include "peers/side_by_side.h"

namespace muster::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kTrainPerClass = 100, kDevelopmentPerClass = 80, kSteps = 20;

struct Division {
  std::vector<size_t> train, explained;
};

Split split_of(const Labels& labels, int train_per_class) {
  ProtocolOptions protocol;
  protocol.train = train_per_class;
  protocol.splits = 1;
  return make_splits(protocol, labels, {}, {}, Rng(1)).list[0];
}

Division divide(const Labels& labels, size_t pictures, bool development) {
  Split split = split_of(labels, kTrainPerClass);
  if (development) {
    const Split inner = split_of(labels.select(split.train), kDevelopmentPerClass);
    const std::vector<size_t> all = split.train;
    split.train.clear();
    split.test.clear();
    for (const size_t i : inner.train) split.train.push_back(all[i]);
    for (const size_t i : inner.test) split.test.push_back(all[i]);
  }
  Rng(1).derive("explained").shuffle(std::span(split.test));
  split.test.resize(std::min(pictures, split.test.size()));
  return {split.train, split.test};
}

const char* name_of(EvidenceBy by) {
  if (by == EvidenceBy::kExact) return "exact";
  return by == EvidenceBy::kFirstOrder ? "first-order" : "leaving-out";
}

struct Measured {
  double deletion = 0, random_deletion = 0, insertion = 0, random_insertion = 0;
  double incomplete = 0, seconds = 0;
  bool right = false;
  EvidenceBy by = EvidenceBy::kExact;
};

// How far the vectors' parts and the classifier's constant are from adding up to the score, before
// evidence shares the constant out. Of a recipe with one branch on vectors.
double incompleteness(const Pipeline& pipeline, const ItemVectors& vectors, size_t c,
                      double score) {
  const FittedBranch& branch = pipeline.branches()[0];
  const auto linear = pipeline.classifier().linear_score(static_cast<int>(c));
  double sum = linear->offset;
  for (const double share : branch.feature->shares(branch.reduce(vectors.set(0)), linear->weights))
    sum += share;
  return std::abs(sum - score);
}

Measured measure(const Ensemble& ensemble, const SetSource& source, const Labels& labels,
                 size_t item) {
  const std::vector<size_t> items{item};
  const Predictions said = ensemble.predict(source, items, {});
  const auto row = said.scores.row(0);
  const auto c = static_cast<size_t>(std::ranges::max_element(row) - row.begin());
  const ItemVectors vectors(ensemble, source, item);
  Measured out;
  const double start = clock_seconds(CLOCK_MONOTONIC);
  const Evidence evidence = find_evidence(ensemble, vectors, {c, {}}, {}, {});
  out.seconds = clock_seconds(CLOCK_MONOTONIC) - start;
  out.by = evidence.by;
  out.right = static_cast<int>(c) == labels.first(item);
  if (evidence.by == EvidenceBy::kExact)
    out.incomplete = incompleteness(ensemble.members()[0], vectors, c, evidence.score);
  const auto order = by_evidence(evidence.values);
  const auto chance = in_random_order(vectors.size(), Rng(1).derive(item));
  out.deletion = area_under(deletion_curve(ensemble, vectors, c, order, kSteps));
  out.random_deletion = area_under(deletion_curve(ensemble, vectors, c, chance, kSteps));
  out.insertion = area_under(insertion_curve(ensemble, vectors, c, order, kSteps));
  out.random_insertion = area_under(insertion_curve(ensemble, vectors, c, chance, kSteps));
  return out;
}

Json measure_method(const std::string& method, const SetSource& source, const Labels& labels,
                    const Division& division) {
  const Ensemble ensemble(fit_pipeline(plan_recipe(recipe_of_method(method)), source,
                                       division.train, labels.select(division.train), 1, {}));
  std::vector<Measured> all;
  for (const size_t item : division.explained)
    all.push_back(measure(ensemble, source, labels, item));
  const auto mean = [&](auto member) {
    double sum = 0;
    for (const Measured& one : all) sum += static_cast<double>(one.*member);
    return sum / static_cast<double>(all.size());
  };
  double incomplete = 0;
  for (const Measured& one : all) incomplete = std::max(incomplete, one.incomplete);
  const double deletion = mean(&Measured::deletion), chance = mean(&Measured::random_deletion);
  Json out{{"method", method},
           {"evidence", name_of(all[0].by)},
           {"pictures", all.size()},
           {"accuracy", mean(&Measured::right)},
           {"deletion", deletion},
           {"random_deletion", chance},
           {"deletion_ratio", deletion / chance},
           {"insertion", mean(&Measured::insertion)},
           {"random_insertion", mean(&Measured::random_insertion)},
           {"seconds_per_explanation", mean(&Measured::seconds)}};
  if (all[0].by == EvidenceBy::kExact) out["largest_incompleteness"] = incomplete;
  std::printf("%s\n", out.dump().c_str());
  std::fflush(stdout);
  return out;
}

}  // namespace

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() < 3)
    throw usage_error("usage: faithfulness OUT.json DATA PICTURES [--development] [METHOD...]");
  const bool development = arguments.size() > 3 && arguments[3] == "--development";
  std::vector<std::string> methods(arguments.begin() + 3 + development, arguments.end());
  if (methods.empty()) methods = {"bow-linear", "emk-fourier", "fisher", "spm", "pmk"};
  const Dataset dataset = open_dataset(arguments[1]);
  const CachedSource source(dataset);
  const Division division = divide(dataset.labels, std::stoul(arguments[2]), development);
  Json record{{"data", std::filesystem::path(arguments[1]).filename().string()},
              {"trained_on", division.train.size()},
              {"development", development},
              {"steps", kSteps},
              {"methods", Json::array()}};
  for (const std::string& method : methods)
    record["methods"].push_back(measure_method(method, source, dataset.labels, division));
  write_file_atomically(arguments[0], record.dump(1) + "\n");
  return 0;
}

}  // namespace muster::bench
