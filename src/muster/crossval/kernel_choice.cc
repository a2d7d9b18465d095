#include "muster/crossval/kernel_choice.h"

#include <algorithm>

namespace muster {
namespace {

double best_score(const CvResult& result) {
  double best = 0;
  for (const CvRow& row : result.statistics.table) best = std::max(best, row.score);
  return best;
}

}  // namespace

KernelSearch kernel_search(const GramOfFold& gram_of_fold, size_t num_items) {
  constexpr size_t kManyItems = 1000;
  return !gram_of_fold && num_items >= kManyItems ? KernelSearch::kClimb : KernelSearch::kAll;
}

KernelChoice best_of_kernels(size_t num_grams, KernelSearch search,
                             const std::function<CvResult(size_t gram)>& cross_validate) {
  MUSTER_CHECK(num_grams > 0);
  KernelChoice choice;
  choice.tables.resize(num_grams);
  int64_t iterations = 0;
  bool first = true;
  // Whether it is the best so far; of equals, the lower one is.
  const auto wins = [&](size_t g) {
    CvResult result = cross_validate(g);
    iterations += result.statistics.iterations;
    choice.tables[g] = result.statistics.table;
    const double score = best_score(result), best = best_score(choice.best);
    if (!first && (score < best || (score == best && g > choice.index))) return false;
    first = false;
    choice.index = g;
    choice.best = std::move(result);
    return true;
  };
  const size_t middle = search == KernelSearch::kClimb ? (num_grams - 1) / 2 : 0;
  wins(middle);
  size_t up = middle + 1;
  while (up < num_grams && (wins(up) || search == KernelSearch::kAll)) ++up;
  if (choice.index == middle)
    for (size_t down = middle; down > 0 && wins(down - 1);) --down;
  choice.best.statistics.iterations = iterations;
  return choice;
}

}  // namespace muster
