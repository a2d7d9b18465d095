#include "muster/classify/kernel_choice.h"

#include <algorithm>
#include <cmath>

namespace muster {
namespace {

// In standard errors; chance alone brings more one time in forty.
constexpr double kClearAdvantage = 2;

double best_score(const CvResult& result) {
  double best = 0;
  for (const CvRow& row : result.statistics.table) best = std::max(best, row.score);
  return best;
}

// Of the share of items classified rightly, in standard errors: items that only one of the two has right are
// evidence, a coin thrown for each.
double advantage(const std::vector<char>& right, const std::vector<char>& other) {
  double gained = 0, lost = 0;
  for (size_t i = 0; i < right.size(); ++i) {
    gained += right[i] && !other[i];
    lost += !right[i] && other[i];
  }
  return gained > lost ? (gained - lost) / std::sqrt(gained + lost) : 0;
}

}  // namespace

KernelChoice best_of_kernels(size_t num_grams, bool reluctant,
                             const std::function<CvResult(size_t gram)>& cross_validate) {
  MUSTER_CHECK(num_grams > 0);
  KernelChoice choice;
  int64_t iterations = 0;
  std::vector<char> first_right;
  for (size_t g = 0; g < num_grams; ++g) {
    CvResult result = cross_validate(g);
    iterations += result.statistics.iterations;
    choice.tables.push_back(result.statistics.table);
    if (g == 0) first_right = result.right;
    if (g > 0 && best_score(result) <= best_score(choice.best)) continue;
    if (g > 0 && reluctant && !result.right.empty() && advantage(result.right, first_right) < kClearAdvantage) continue;
    choice.index = g;
    choice.best = std::move(result);
  }
  choice.best.statistics.iterations = iterations;
  return choice;
}

}  // namespace muster
