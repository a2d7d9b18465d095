// Sets and kernel values for tests of set kernels.
#pragma once

#include <bit>
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

inline VectorSet subset(const VectorSet& set, unsigned members) {
  std::vector<size_t> rows;
  for (size_t i = 0; i < set.size(); ++i)
    if (members >> i & 1) rows.push_back(i);
  return {select_rows(set.vectors.view(), rows),
          set.has_places() ? select_rows(set.places.view(), rows) : Matrix<float>(),
          set.image_width, set.image_height};
}

// Of each vector of a small set in sum_j coefficients[j] k(set, training[j]), from all subsets:
// what the vector adds to those without it, of every size with the same weight.
inline std::vector<double> shapley_values(const SetKernel& kernel, const VectorSet& set,
                                          RepresentedSpan training,
                                          std::span<const double> coefficients) {
  std::vector<double> values(size_t{1} << set.size());
  for (unsigned members = 0; members < values.size(); ++members) {
    const VectorSet own = subset(set, members);
    const Matrix<double> row = gram_of(kernel, represent_all(kernel, {&own, 1}), training);
    for (size_t j = 0; j < training.size(); ++j) values[members] += coefficients[j] * row(0, j);
  }
  std::vector<double> out(set.size());
  for (size_t i = 0; i < set.size(); ++i)
    for (unsigned members = 0; members < values.size(); ++members) {
      if (members >> i & 1) continue;
      const auto n = static_cast<double>(set.size());
      const double size = std::popcount(members);
      // 1 / (n * choose(n - 1, size))
      const double weight = std::tgamma(size + 1) * std::tgamma(n - size) / std::tgamma(n + 1);
      out[i] += weight * (values[members | 1u << i] - values[members]);
    }
  return out;
}

}  // namespace muster::oracle
