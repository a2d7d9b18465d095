// Sets, options and mixtures for tests of the kernels between adapted mixtures.
#pragma once

#include "muster/density/adapted_sets.h"
#include "oracle/adapted.h"
#include "support/set_kernels.h"

namespace muster::oracle {

// k clusters, `apart` standard deviations from each other along the first dimension.
inline Sample clusters(size_t n, size_t d, size_t k, double apart) {
  Sample sample{normal_matrix(n, d, Rng(1)), {}, 0};
  for (size_t i = 0; i < n; ++i)
    sample.vectors(i, 0) += static_cast<float>(apart * static_cast<double>(i % k));
  return sample;
}

inline std::vector<VectorSet> sets_like(size_t count, size_t d, size_t k, double apart) {
  std::vector<VectorSet> out;
  for (size_t s = 0; s < count; ++s) {
    VectorSet set = normal_set(20 + 30 * s, d, Rng(s));
    for (size_t i = 0; i < set.size(); ++i) {
      set.vectors(i, 0) += static_cast<float>(apart * static_cast<double>((i + i / k * s) % k));
      set.vectors(i, d - 1) += 0.3f * static_cast<float>(s);
    }
    out.push_back(std::move(set));
  }
  return out;
}

template <class Options>
void make_small(Options& options, Mapping mapping, Adapt adapted, CovarianceKind kind) {
  options.sets.universal.components = 3;
  options.sets.universal.em_iterations = 5;
  options.sets.universal.init = GmmInit::kKMeans;  // finds clusters that are far apart
  options.sets.mapping = mapping;
  options.sets.adapt.adapt = adapted;
  options.sets.covariance = kind;
  options.sets.draws = 4000;
}

// The Gram matrix of the kernel's first candidate.
inline Matrix<double> settled_gram(const SetKernel& kernel, std::span<const VectorSet> sets) {
  const Represented represented = represent_all(kernel, sets);
  return gram_of(*kernel.candidates(represented)[0], represented, represented);
}

// The sets' mixtures as the kernel sees them.
template <class Options>
std::vector<Mixture> mixtures_of(const Options& options, const SetKernel& kernel,
                                 const std::vector<VectorSet>& sets) {
  TensorMap map;
  kernel.save(TensorWriter(map));
  const AdaptedSets adapted = AdaptedSets::load(options.sets, TensorReader(map));
  std::vector<Mixture> out;
  for (const VectorSet& set : sets) out.push_back(mixture_of(adapted.fit(set)));
  return out;
}

struct AdaptedCase {
  Mapping mapping;
  Adapt adapted;
  CovarianceKind kind;
};
inline const AdaptedCase kAdaptedCases[] = {
    {Mapping::kOneToOne, Adapt::kMeans, CovarianceKind::kDiagonal},
    {Mapping::kOneToOne, Adapt::kAll, CovarianceKind::kDiagonal},
    {Mapping::kOneToOne, Adapt::kAll, CovarianceKind::kFull},
    {Mapping::kOneToMany, Adapt::kMeans, CovarianceKind::kDiagonal},
    {Mapping::kOneToMany, Adapt::kAll, CovarianceKind::kDiagonal},
    {Mapping::kOneToMany, Adapt::kAll, CovarianceKind::kFull}};

}  // namespace muster::oracle
