// How much `auto` does, and what that costs: settled before it starts, by the data and the effort.
#pragma once

#include "muster/choose/candidates.h"

namespace muster {

// One pass of judging: so many of the items, divided so often; `keep` recipes go on to the next.
struct Round {
  size_t items = 0;
  int folds = 0, repeats = 0;
  size_t keep = 1;
};
// Few items: one round, repeated. Many: all recipes on some of them, then the best on more. None if
// no folds are possible.
std::vector<Round> plan_rounds(const DataLook& look, Effort effort, int possible_folds);

// Of the rounds and of training the chosen recipe, for about as many recipes as the rounds keep.
double forecast_seconds(const DataLook& look, Effort effort, const std::vector<Round>& rounds,
                        unsigned threads);

}  // namespace muster
