// Efficient match kernel by random Fourier features (EMK 3.2): phi(x) = sqrt(2/D) cos(W x + b),
// whose dot products approximate a shift-invariant local kernel k(x, y) with an error that falls as
// 1/sqrt(D); the set's vector is the mean of phi, so that dot products of sets approximate the sum
// match kernel.
//
//   gaussian    rows of W ~ N(0, 2 gamma I)
//   laplacian   components of W ~ Cauchy of scale gamma
//   cauchy      rows of W ~ N(0, 2 gamma s I), s ~ Exp(1) per row
//   b ~ U[-pi, pi]
//
// With orthogonal=true (gaussian, cauchy) blocks of d rows are made orthogonal, their lengths kept
// as drawn (orthogonal random features, Yu et al. 2016): same expectation, smaller error. With
// hadamard=true they are drawn as simd/hadamard.h describes if the vectors' dimension nearly fills
// a power of two: D log d per vector instead of D d. draws=k draws k D features and keeps the D
// whose averages differ most between the classes of the sample (after Sinha & Duchi 2016); the
// kernel is then shaped by the labels. Cost per set: O(m D log d) by Hadamard transforms, O(m d D)
// by a matrix product otherwise, and m D cosines; fit O(d D), or O(d^2 D) orthogonal without them.
#pragma once

#include "muster/localkernel/local_kernel.h"
#include "muster/setfeature/set_feature.h"

namespace muster {

struct EmkFourierOptions {
  int dim = 1000;
  LocalKernelOptions local;
  bool orthogonal = true, hadamard = true;
  int draws = 1;
  PoolingOptions pooling;

  void fields(Fields& f);
};

// Kernels that are not shift-invariant (chi2, intersection, polynomial) are a usage error.
SetFeature fit_emk_fourier(const EmkFourierOptions& options, const Sample& sample, Rng rng,
                           const Progress& progress);
SetFeature load_emk_fourier(const EmkFourierOptions& options, const TensorReader& in);

}  // namespace muster
