// Which parts belong together? Accuracies of recipes on one draw of training and test pictures per
// class, every branch being fitted and encoded once however many recipes have it. Branches count
// alike; one that is named twice counts twice.
//   neural_parts DATA TRAIN_PER_CLASS TEST_MAX SEED CACHE RECIPE...
// Prints a line per recipe: accuracy and mean per class for C = 1, 10 and 100.
#include <cstdio>
#include <cstdlib>

#include "muster/choose/fold_scores.h"
#include "muster/evaluate/measures.h"
#include "muster/evaluate/splits.h"
#include "muster/source/cached_source.h"

namespace muster::bench {
namespace {

constexpr double kValuesOfC[] = {1, 10, 100};

void judge_all(const Dataset& data, const Split& split, const SetSource& source,
               std::span<char*> recipes) {
  std::vector<size_t> items;
  FoldItems fold;
  for (const size_t item : split.train) fold.train.push_back(items.size()), items.push_back(item);
  for (const size_t item : split.test) fold.held_out.push_back(items.size()), items.push_back(item);
  const Labels labels = data.labels.select(items);
  const Progress silent;
  FoldJudge judge(source, items, labels, fold, Rng(1), silent);
  const std::vector<int> truth = true_classes(labels.select(fold.held_out));
  for (const char* recipe : recipes) {
    const FoldJudge::Scored scored = judge.scores(plan_recipe(parse_recipe(recipe)), kValuesOfC);
    for (const Matrix<double>& scores : scored.by_c) {
      const std::vector<int> predicted = predicted_classes(scores);
      std::printf("%6.2f %6.2f   ", 100 * accuracy(truth, predicted),
                  100 * mean_class_accuracy(truth, predicted, labels.num_classes()));
    }
    std::printf("%5.0f s  %s\n", scored.seconds, recipe);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  using namespace muster;
  if (argc < 7) {
    std::fprintf(stderr,
                 "usage: neural_parts DATA TRAIN_PER_CLASS TEST_MAX SEED CACHE RECIPE...\n");
    return 2;
  }
  const Dataset data = open_dataset(argv[1]);
  ProtocolOptions protocol;
  protocol.train = std::atoi(argv[2]);
  protocol.test_max = std::atoi(argv[3]);
  protocol.splits = 1;
  const uint64_t seed = std::strtoull(argv[4], nullptr, 10);
  const Splits splits = make_splits(protocol, data.labels, {}, {}, Rng(seed));
  SourceOptions options;
  options.disk.folder = argv[5];
  options.disk.max_bytes = size_t{60} << 30;
  options.memory_bytes = 0;
  const CachedSource source(data, options);
  bench::judge_all(data, splits.list[0], source,
                   std::span(argv + 6, static_cast<size_t>(argc - 6)));
}
