// Every set as a mixture of Gaussians adapted from one universal mixture (UGM 2): what the kernels
// ppk and klk share. Or, as the paper's baseline, as a mixture learnt from the set alone.
#pragma once

#include "muster/mixture/adapt.h"
#include "muster/setkernel/set_kernel.h"

namespace muster {

enum class Estimate { kMap, kMle };
enum class Mapping { kOneToOne, kOneToMany, kMonteCarlo };

struct AdaptedSetsOptions {
  UniversalOptions universal;
  CovarianceKind covariance = CovarianceKind::kDiagonal;
  Estimate estimate = Estimate::kMap;
  AdaptOptions adapt;
  Mapping mapping = Mapping::kOneToOne;
  int draws = 1000;

  void fields(Fields& f);
  // Throws a usage error in the name of `stage` where options contradict each other.
  void validate(const char* stage) const;
};

// What a kernel keeps of a set begins with its mixture.
struct AdaptedSet : Representation {
  Gmm mixture;

  explicit AdaptedSet(Gmm mixture) : mixture(std::move(mixture)) {}
};

// Immutable and shareable between threads.
class AdaptedSets {
 public:
  // The universal mixture is learnt from the sample.
  AdaptedSets(const AdaptedSetsOptions& options, const Sample& sample, Rng rng,
              const Progress& progress);
  AdaptedSets(const AdaptedSetsOptions& options, Universal universal);
  static AdaptedSets load(const AdaptedSetsOptions& options, TensorReader in);
  void save(TensorWriter out) const { universal_->save(out.scope("universal")); }

  const AdaptedSetsOptions& options() const { return options_; }
  const Universal& universal() const { return *universal_; }
  size_t dim() const { return universal_->mixture.dim(); }
  CovarianceKind kind() const { return universal_->mixture.kind(); }

  // An empty set is the universal mixture. estimate=mle: as many components as asked for, at most
  // one a vector. Parameters of diagonal mixtures are rounded to single precision, as they are
  // stored.
  Gmm fit(const VectorSet& set) const;

  // Of AdaptedSets.
  void save_mixtures(RepresentedSpan sets, TensorWriter out) const;
  std::vector<Gmm> load_mixtures(TensorReader in) const;

 private:
  bool only_means() const {
    return options_.estimate == Estimate::kMap && options_.adapt.adapt == Adapt::kMeans;
  }

  AdaptedSetsOptions options_;
  std::shared_ptr<const Universal> universal_;
};

}  // namespace muster
