// Sets and kernel values for tests of set kernels.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "muster/setkernel/set_kernel.h"
#include "support/random_data.h"

namespace muster::oracle {

// Of many sizes, the first one empty.
inline std::vector<VectorSet> random_sets(size_t count, size_t dim) {
  std::vector<VectorSet> sets;
  for (size_t i = 0; i < count; ++i) sets.push_back(normal_set(i * 97 % 400, dim, Rng(i)));
  return sets;
}

// Non-negative, so that every local kernel is defined on it.
inline VectorSet uniform_set(size_t size, size_t dim, Rng rng) {
  VectorSet set{Matrix<float>(size, dim), {}, 0, 0};
  for (float& value : set.vectors.values()) value = static_cast<float>(rng.uniform());
  return set;
}

// Points of a 4 x 4 grid, one for each number: many equal distances.
inline VectorSet grid_set(const std::vector<int>& numbers) {
  VectorSet set{Matrix<float>(numbers.size(), 2), {}, 0, 0};
  for (size_t i = 0; i < numbers.size(); ++i) {
    set.vectors(i, 0) = static_cast<float>(std::abs(numbers[i]) % 4);
    set.vectors(i, 1) = static_cast<float>(std::abs(numbers[i]) / 4 % 4);
  }
  return set;
}

inline Represented represent_all(const SetKernel& kernel, std::span<const VectorSet> sets) {
  Represented out;
  for (const VectorSet& set : sets) out.push_back(kernel.represent(set));
  return out;
}

inline Matrix<double> gram_of(const SetKernel& kernel, RepresentedSpan a, RepresentedSpan b) {
  Matrix<double> out(a.size(), b.size());
  kernel.gram(a, b, out, {});
  return out;
}

inline Matrix<double> gram_of(const SetKernel& kernel, std::span<const VectorSet> sets) {
  const Represented represented = represent_all(kernel, sets);
  return gram_of(kernel, represented, represented);
}

inline double value_of(const SetKernel& kernel, const VectorSet& x, const VectorSet& y) {
  const std::shared_ptr<const Representation> a = kernel.represent(x), b = kernel.represent(y);
  return gram_of(kernel, RepresentedSpan(&a, 1), RepresentedSpan(&b, 1))(0, 0);
}

}  // namespace muster::oracle
