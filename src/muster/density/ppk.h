// Probability product kernel of sets that are mixtures adapted from one universal mixture
// (UGM 3.1), K = integral p(x)^rho q(x)^rho dx, approximated through pairs of Gaussians
// (mixture_product.h): with the corresponding one only (mapping=one-to-one, eq 13, O(k d) per pair
// of sets), with all (one-to-many, eq 12, O(k^2 d)), with the one that it matches best, as klk
// matches them (matched, which UGM 4.2.1 proposes; the mean of both directions, O(k^2 d) by a
// matrix product), or by random vectors (monte-carlo). The weights of a pair of Gaussians are (w_i
// w'_j)^rho, exact if components lie far apart (weights=power), or w_i w'_j as the paper prints
// (weights=plain). A Mercer kernel except for matched and monte-carlo. With rho = 1/2 the value of
// equal sets is 1.
#pragma once

#include "muster/density/adapted_sets.h"

namespace muster {

enum class PpkWeights { kPower, kPlain };

struct PpkOptions {
  double rho = 0.5;
  PpkWeights weights = PpkWeights::kPower;
  bool normalise = true;
  AdaptedSetsOptions sets;

  void fields(Fields& f);
  bool is_mercer() const {
    return sets.mapping == Mapping::kOneToOne || sets.mapping == Mapping::kOneToMany;
  }
};

std::shared_ptr<const SetKernel> fit_ppk(const PpkOptions& options, const Sample& sample, Rng rng,
                                         const Progress& progress);
std::shared_ptr<const SetKernel> load_ppk(const PpkOptions& options, const TensorReader& in);
// From a mixture learned elsewhere; one that the options do not describe is a usage error.
std::shared_ptr<const SetKernel> make_ppk(const PpkOptions& options, Universal universal);

}  // namespace muster
