// The Gaussians of one mixture matched with those of another (UGM eq 16, after Goldberger et al.
// 2003),
//
//   m(i) = argmin_j KL(p_i || q_j) - log w'_j,
//
// by vectors made once per mixture (gaussian_divergence.h): with log|C_j| - 2 log w'_j in v's last
// entry, for which u has a 1,  KL(p_i || q_j) - log w'_j = 1/2 (u_i . v_j - d - log|C_i|),  so that
// a matching is one matrix product in double precision.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/mixture/gmm.h"

namespace muster {

struct MatchVectors {
  Matrix<double> u, v;  // one row per Gaussian

  size_t num_bytes() const { return (u.size() + v.size()) * sizeof(double); }
};

// The logarithm of a weight, which may be 0.
double log_weight(const Gmm& mixture, size_t component);

// Means are taken relative to the rows of `centres` (k x d), so that few digits are lost: for a
// matching these must be the same point for all Gaussians of all mixtures. `log_dets`, unless null,
// gets the k values of log|C|.
MatchVectors match_vectors(const Gmm& mixture, MatrixView<const double> centres,
                           std::vector<double>* log_dets = nullptr);

// Such centres: the mixture's point of reference, k times.
Matrix<double> repeated_origin(const Gmm& universal, size_t k);

// u_i . v_j for all Gaussians of `p` and `q`.
Matrix<double> match_products(const MatchVectors& p, const MatchVectors& q);
// Of each Gaussian of `p` the one of `q`, of equally good ones the first.
std::vector<uint32_t> matching(const MatchVectors& p, const MatchVectors& q);

}  // namespace muster
