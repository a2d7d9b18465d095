// How a recipe was chosen, as a model keeps it. This header needs the standard library only:
// muster/muster.h is made of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster {

/// How much work the choice of a method may be.
enum class Effort { kQuick, kNormal, kThorough };

/// What `auto` tried, and what it chose. Scores are accuracies or, with several labels per item,
/// mean average precisions, of items that neither a vocabulary nor a classifier had seen.
struct Choice {
  /// A recipe that was judged.
  struct Tried {
    std::string name;       ///< in words, such as "gradients and colour, 16 Gaussians"
    std::string recipe;     ///< as it would be trained on all items
    double C = 0;           ///< the best cost of an error
    double score = 0;       ///< between 0 and 1
    double error = 0;       ///< standard error of the score
    std::size_t items = 0;  ///< it was judged on these many
    int repeats = 0;        ///< of cross-validation
    double seconds = 0;     ///< that judging it took; 0 in a model that was loaded
    bool chosen = false;    ///< exactly one was
  };

  Effort effort = Effort::kNormal;  ///< that was asked for
  std::uint64_t seed = 0;           ///< of folds and fits
  int folds = 0;                    ///< 0: the items did not allow any, and nothing was judged
  std::vector<Tried> tried;         ///< in the order in which they were proposed
  /// What new items can be expected to score: without the luck of the chosen recipe, which was
  /// the best of several. None if there was nothing to judge by.
  std::optional<double> estimate;
  double error = 0;  ///< standard error of the estimate
};

}  // namespace muster
