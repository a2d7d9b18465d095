#include "muster/choose/schedule.h"

#include <algorithm>
#include <set>

namespace muster {
namespace {

// Of one thread, for the sums of candidates.cc; from what a mixed set of runs took.
constexpr double kMillionsPerSecond = 15000;

// Millions of multiplications of some recipes, shared branches once: learned from and applied to
// so many items.
double work(std::span<const Candidate> recipes, double items) {
  std::set<std::string> seen;
  double out = 0;
  for (const Candidate& one : recipes)
    for (const CostedBranch& part : one.parts)
      if (seen.insert(part.recipe).second) out += part.learn_cost + items * part.cost;
  return out;
}

}  // namespace

std::vector<Round> plan_rounds(const DataLook& look, Effort effort, int possible_folds) {
  if (possible_folds == 0) return {};
  const auto folds = [&](int wanted) { return std::min(wanted, possible_folds); };
  const auto classes = static_cast<size_t>(std::max(look.classes, 1));
  const size_t n = look.items;
  const auto first = [&](size_t least, size_t per_class) {
    return std::min(n, std::max(least, per_class * classes));
  };
  switch (effort) {
    case Effort::kQuick:
      return {{first(300, 4), folds(3), n <= 100 ? 2 : 1, 1}};
    case Effort::kNormal:
      if (n <= 400) return {{n, folds(5), n < 60 ? 3 : n < 120 ? 2 : 1, 1}};
      return {{first(300, 4), folds(3), 1, 3}, {std::min<size_t>(n, 1200), folds(3), 1, 1}};
    case Effort::kThorough:
      break;
  }
  if (n <= 400) return {{n, folds(10), n < 60 ? 6 : n < 200 ? 3 : 2, 1}};
  return {{first(600, 6), folds(3), 1, 4}, {std::min<size_t>(n, 3000), folds(4), 1, 1}};
}

double forecast_seconds(const DataLook& look, Effort effort, const std::vector<Round>& rounds,
                        unsigned threads) {
  double millions = 0;
  size_t live = propose(look, effort, look.items).size();
  for (const Round& round : rounds) {
    const std::vector<Candidate> sized = propose(look, effort, round.items);
    // Which ones go on is not known yet: the dearest ones.
    const size_t count = std::min(live, sized.size());
    millions += round.folds * round.repeats *
                work(std::span(sized).last(count), static_cast<double>(round.items));
    live = round.keep;
  }
  const std::vector<Candidate> all = propose(look, effort, look.items);
  millions += work(std::span(all).last(1), static_cast<double>(look.items));
  return millions / kMillionsPerSecond / threads +
         static_cast<double>(look.items) * look.seconds_per_item / threads;
}

}  // namespace muster
