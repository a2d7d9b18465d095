// A universal mixture adapted to a set by MAP-EM, with relevance factor tau (UGM 2.2, eqs 6-8).
// With r the responsibilities of component m of k, N_m their sum over the T vectors, and ^u for the
// universal mixture,
//
//   w_m  = (N_m + k tau w^u_m) / (T + k tau)
//   mu_m = (sum_x r x + tau mu^u_m) / (N_m + tau)
//   C_m  = (sum_x r x x' + tau [C^u_m + mu^u_m mu^u_m']) / (N_m + tau) - mu_m mu_m'
//
// tau = 0 is a step of maximum likelihood, tau = infinity the universal mixture. The paper's eq 6,
// w_m = (N_m + tau) / (T + k tau), draws weights towards 1 / k (adapt=printed). Components keep
// their numbers, so that those of two adapted mixtures correspond. No variance falls below the
// universal mixture's floors. Cost of an iteration: that of the responsibilities, O(T k d)
// diagonal, O(T k d^2) full.
#pragma once

#include "muster/mixture/universal.h"

namespace muster {

enum class Adapt { kMeans, kAll, kPrinted };

struct AdaptOptions {
  double tau = 10;
  int iterations = 1;
  Adapt adapt = Adapt::kMeans;

  void fields(Fields& f);
};

// On the calling thread. Without vectors, the universal mixture itself; with tau = 0 a component
// without vectors stays as it is, except for its weight.
Gmm adapt(const AdaptOptions& options, const Universal& universal, ConstMatrixView vectors);

}  // namespace muster
