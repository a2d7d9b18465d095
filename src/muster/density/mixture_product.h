// Probability product kernels between mixtures of Gaussians, K = integral p(x)^rho q(x)^rho dx
// (Jebara, Kondor and Howard, JMLR 2004). Of two Gaussians, S = S1 + S2, m = m1 - m2,
//
//   log K = (1 - 2 rho) d/2 log 2 pi - d/2 log rho + (1 - rho)/2 (log|S1| + log|S2|)
//           - 1/2 log|S| - rho/2 m'S^-1 m
//
// (UGM eq 11 without its inverses). Of mixtures, with v = w^weight_power,
//
//   one-to-many   sum_ij v_i v'_j K(p_i, q_j)    (UGM eq 12)
//   one-to-one    sum_i  v_i v'_i K(p_i, q_i)    (UGM eq 13)
//
// both Mercer kernels. Determinants of single Gaussians are taken once per set; a pair of Gaussians
// costs d divisions (diagonal) or d^3 / 6 multiplications (full), in double precision, by SIMD over
// pairs.
#pragma once

#include <cstdint>
#include <span>

#include "muster/mixture/gmm.h"
#include "muster/setkernel/set_kernel.h"

namespace muster {

// The Gaussians of one set, made ready for pairs.
struct PackedMixture {
  Matrix<double> gaussians;         // packed, one per row
  std::vector<double> log_weights;  // log v + (1 - rho)/2 log|S| + the constants of half a pair
  double log_norm = 0;              // 1/2 log K(X, X), or 0

  size_t num_bytes() const { return (gaussians.size() + 2 * log_weights.size()) * sizeof(double); }
};

// Immutable and shareable between threads.
class MixtureProduct {
 public:
  // one_to_one: mixtures then must have the same number of components. normalise:
  // K(X, Y) / sqrt(K(X, X) K(Y, Y)); without it values above 1e304 are cut there.
  struct Shape {
    double rho = 0.5;
    double weight_power = 1;
    bool one_to_one = false;
    bool normalise = true;
  };
  MixtureProduct(const Shape& shape, size_t dim, CovarianceKind kind)
      : shape_(shape), dim_(dim), kind_(kind) {}

  PackedMixture pack(const Gmm& mixture) const;
  // Takes Gaussians and log_weights as pack gave them; sets the norm.
  void set_norm(PackedMixture& mixture) const;

  // log sum_i v_i v'_m(i) K(p_i, q_m(i)) without norms; `matches` are the m(i).
  double log_matched(const PackedMixture& p, const PackedMixture& q,
                     std::span<const uint32_t> matches) const;

  using MixtureOf = const PackedMixture& (*)(const Representation&);
  // As SetKernel::gram; `mixture_of` finds what pack gave in a representation.
  void gram(RepresentedSpan a, RepresentedSpan b, MixtureOf mixture_of, MatrixView<double> out,
            const Progress& progress) const;

 private:
  struct Columns;
  template <class Body>
  void for_each_term(const PackedMixture& row, const std::vector<Columns>& columns,
                     const Body& body) const;
  // Of one pair of packed Gaussians: log|S1 + S2| and m'(S1 + S2)^-1 m.
  struct PairTerms {
    double log_det, distance;
  };
  PairTerms pair_terms(std::span<const double> a, std::span<const double> b) const;

  Shape shape_;
  size_t dim_;
  CovarianceKind kind_;
};

}  // namespace muster
