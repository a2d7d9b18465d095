// Every set as a mixture of Gaussians adapted from one universal mixture (UGM 2): what the kernels
// ppk and klk share. As the paper's baseline, a set can instead be a mixture learned from the set
// alone.
#pragma once

#include "muster/mixture/adapt.h"
#include "muster/setkernel/set_kernel.h"

namespace muster {

enum class Estimate { kMap, kMle };
enum class Mapping { kOneToOne, kOneToMany, kMonteCarlo, kMatched };

struct AdaptedSetsOptions {
  UniversalOptions universal;
  CovarianceKind covariance = CovarianceKind::kDiagonal;
  Estimate estimate = Estimate::kMap;
  AdaptOptions adapt;
  Mapping mapping = Mapping::kOneToOne;
  int draws = 1000;

  // `matched` says whether that mapping is to be had.
  void fields(Fields& f, bool matched = false);
};

// What a kernel keeps of a set begins with its mixture.
struct AdaptedSet : Representation {
  Gmm mixture;

  explicit AdaptedSet(Gmm mixture) : mixture(std::move(mixture)) {}
};

// Immutable and shareable between threads.
class AdaptedSets {
 public:
  // The universal mixture is learned from the sample, or given. Options that contradict each other
  // or the given mixture are a usage error in the name of `stage`.
  AdaptedSets(const char* stage, const AdaptedSetsOptions& options, const Sample& sample, Rng rng,
              const Progress& progress);
  AdaptedSets(const char* stage, const AdaptedSetsOptions& options, Universal universal);
  static AdaptedSets load(const AdaptedSetsOptions& options, const TensorReader& in);
  void save(const TensorWriter& out) const { universal_->save(out.scope("universal")); }

  const AdaptedSetsOptions& options() const { return options_; }
  const Universal& universal() const { return *universal_; }
  size_t dim() const { return universal_->mixture.dim(); }
  CovarianceKind kind() const { return universal_->mixture.kind(); }

  // An empty set is the universal mixture. estimate=mle: as many components as asked for, at most
  // one per vector. Parameters of diagonal mixtures are rounded to single precision, as they are
  // stored.
  Gmm fit(const VectorSet& set) const;

  // The sets are of type AdaptedSet.
  void save_mixtures(RepresentedSpan sets, const TensorWriter& out) const;
  std::vector<Gmm> load_mixtures(const TensorReader& in) const;

 private:
  AdaptedSets(const AdaptedSetsOptions& options, Universal universal)
      : options_(options), universal_(std::make_shared<const Universal>(std::move(universal))) {}
  bool only_means() const {
    return options_.estimate == Estimate::kMap && options_.adapt.adapt == Adapt::kMeans;
  }

  AdaptedSetsOptions options_;
  std::shared_ptr<const Universal> universal_;
};

// What the kernels between such mixtures share.
class AdaptedKernel : public SetKernel {
 public:
  explicit AdaptedKernel(AdaptedSets sets) : sets_(std::move(sets)) {}

  std::shared_ptr<const Representation> represent(const VectorSet& set) const final {
    return make_ready(sets_.fit(set));
  }
  const Universal* universal() const final { return &sets_.universal(); }
  void save(const TensorWriter& out) const override { sets_.save(out); }
  void save_represented(RepresentedSpan sets, const TensorWriter& out) const final {
    sets_.save_mixtures(sets, out);
  }
  Represented load_represented(const TensorReader& in) const final;

 protected:
  // An AdaptedSet with all that the kernel needs for pairs.
  virtual std::shared_ptr<const Representation> make_ready(Gmm mixture) const = 0;
  const AdaptedSets& sets() const { return sets_; }

 private:
  AdaptedSets sets_;
};

}  // namespace muster
