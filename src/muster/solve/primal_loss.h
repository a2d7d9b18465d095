// What linear problems in the primal make of a margin m = y w.x.
#pragma once

namespace muster {

// max(0, 1 - m)^2 and log(1 + exp(-m)): LIBLINEAR's L2R_L2LOSS_SVC and L2R_LR.
enum class PrimalLoss { kSquaredHinge, kLogistic };

}  // namespace muster
