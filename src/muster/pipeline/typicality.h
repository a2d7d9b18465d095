// This header needs the standard library only: muster/muster.h is made of it.
#pragma once

namespace muster {

/// What tells how typical an item is of the classes: the best of its scores, its likelihood ratio
/// under class mixtures or, in a fused model, both.
enum class TypicalityBy { kBestScore, kLikelihoodRatio, kBoth };

}  // namespace muster
