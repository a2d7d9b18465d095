#include "muster/classify/kernel_choice.h"

#include <algorithm>
#include <cmath>

namespace muster {
namespace {

double best_score(const CvResult& result) {
  double best = 0;
  for (const CvRow& row : result.statistics.table) best = std::max(best, row.score);
  return best;
}

// Whether `result` is right on as many items as `best`, up to one standard error of the difference.
bool near(const CvResult& result, const CvResult& best) {
  const size_t n = best.right.size();
  if (n < 2) return false;
  double lost = 0, differ = 0;
  for (size_t i = 0; i < n; ++i) {
    const int difference = static_cast<int>(best.right[i]) - static_cast<int>(result.right[i]);
    lost += difference;
    differ += difference * difference;
  }
  const auto count = static_cast<double>(n);
  return lost * lost <= (differ - lost * lost / count) * count / (count - 1);
}

}  // namespace

KernelChoice best_of_kernels(size_t num_grams, KernelOrder order,
                             const std::function<CvResult(size_t gram)>& cross_validate) {
  MUSTER_CHECK(num_grams > 0);
  std::vector<CvResult> results;
  for (size_t g = 0; g < num_grams; ++g) results.push_back(cross_validate(g));
  KernelChoice choice;
  int64_t iterations = 0;
  for (const CvResult& result : results) {
    iterations += result.statistics.iterations;
    choice.tables.push_back(result.statistics.table);
  }
  const auto best = std::ranges::max_element(results, {}, best_score);
  auto winner = best;
  if (order == KernelOrder::kFromCautious)
    winner = std::find_if(results.begin(), best,
                          [&](const CvResult& result) { return near(result, *best); });
  choice.index = static_cast<size_t>(winner - results.begin());
  choice.best = std::move(*winner);
  choice.best.statistics.iterations = iterations;
  return choice;
}

}  // namespace muster
