// Kernels and divergences of mixtures by random vectors drawn from them, with a standard error: the
// reference for closed forms, which are approximations if components overlap (UGM 3).
#pragma once

#include "muster/mixture/gmm.h"

namespace muster {

struct Draws {
  Matrix<float> vectors;
  std::vector<float> log_densities;  // under the mixture that they were drawn from
};

// Always from the same stream of random numbers: draw i of two mixtures shares them, and errors of
// their difference are smaller.
Draws draw(const Gmm& mixture, size_t count);

struct MonteCarlo {
  double value;
  double standard_error;
};

// integral p^rho q^rho exp(-log_scale), as the mean of p^rho q^rho / ((p + q) / 2) over as many
// draws of p as of q. Never negative; for rho = 1/2 at most 1, and 1 for equal mixtures.
MonteCarlo product_by_draws(const Gmm& p, const Draws& of_p, const Gmm& q, const Draws& of_q,
                            double rho, double log_scale = 0);
// log integral p^(2 rho).
double log_self_product(const Draws& of_p, double rho);

// KL(p || q) + KL(q || p), as the mean of log p - log q over draws of p, and the other way round.
MonteCarlo symmetric_divergence_by_draws(const Gmm& p, const Draws& of_p, const Gmm& q,
                                         const Draws& of_q);

}  // namespace muster
