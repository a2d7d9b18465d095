// Kullback-Leibler kernel of sets that are mixtures adapted from one universal mixture (UGM 3.2),
//
//   K = exp(-gamma SKL(p, q)),   SKL(p, q) = KL(p || q) + KL(q || p),
//   KL(p || q) ~ sum_i w_i (KL(p_i || q_m(i)) + log w_i / w'_m(i))
//
// with m(i) = i (mapping=one-to-one, eq 18), m(i) = argmin_j KL(p_i || q_j) - log w'_j
// (one-to-many, eqs 16-17), or the divergence itself by random vectors (monte-carlo).
//
// One-to-many takes -integral p log q through the best matches, which is too large if Gaussians
// overlap, but integral p log p through m(i) = i. The divergence of a mixture from itself then is
// not 0 but negative, KL(p || p) = sum_i w_i (min_j KL(p_i || p_j) - log w_j/w_i), and that of all
// sets that are close to the universal mixture (large tau) likewise. Here both integrals go through
// the best matches: SKL(p, q) - KL(p || p) - KL(q || q), each as above, which is 0 for p = q. The
// kernel is the paper's, normalised: exp(-gamma SKL(p, q)) / sqrt(exp(-gamma SKL(p, p)) exp(-gamma
// SKL(q, q))).
//
// One-to-one SKL is a sum of dot products of vectors made once per set (gaussian_divergence.h),
// taken relative to the universal mixture's means: a Gram matrix is one matrix product in double
// precision, 4 k d multiplications per pair of sets (diagonal), k d (d + 3) (full); one-to-many
// costs k times that. With adapt=means one-to-one SKL is a squared Euclidean distance (of
// supervectors) and K a Mercer kernel; else not in general.
#pragma once

#include <optional>

#include "muster/density/adapted_sets.h"

namespace muster {

struct KlkOptions {
  std::optional<double> gamma;
  AdaptedSetsOptions sets;

  void fields(Fields& f);
  bool is_mercer() const {
    return sets.mapping == Mapping::kOneToOne && sets.estimate == Estimate::kMap &&
           sets.adapt.adapt == Adapt::kMeans;
  }
};

// gamma=auto: 1 / mean SKL of training sets (UGM 4.1) or a value around it, by cross-validation.
// Approximations that come out negative count as 0, which a divergence never is below.
std::shared_ptr<const SetKernel> fit_klk(const KlkOptions& options, const Sample& sample, Rng rng,
                                         const Progress& progress);
std::shared_ptr<const SetKernel> load_klk(const KlkOptions& options, const TensorReader& in);
// From a mixture learned elsewhere; one that the options do not describe is a usage error.
std::shared_ptr<const SetKernel> make_klk(const KlkOptions& options, Universal universal);

}  // namespace muster
