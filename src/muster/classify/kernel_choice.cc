#include "muster/classify/kernel_choice.h"

#include <algorithm>

namespace muster {
namespace {

double best_score(const CvResult& result) {
  double best = 0;
  for (const CvRow& row : result.statistics.table) best = std::max(best, row.score);
  return best;
}

}  // namespace

KernelChoice best_of_kernels(size_t num_grams,
                             const std::function<CvResult(size_t gram)>& cross_validate) {
  MUSTER_CHECK(num_grams > 0);
  KernelChoice choice;
  int64_t iterations = 0;
  for (size_t g = 0; g < num_grams; ++g) {
    CvResult result = cross_validate(g);
    iterations += result.statistics.iterations;
    choice.tables.push_back(result.statistics.table);
    if (g > 0 && best_score(result) <= best_score(choice.best)) continue;
    choice.index = g;
    choice.best = std::move(result);
  }
  choice.best.statistics.iterations = iterations;
  return choice;
}

}  // namespace muster
