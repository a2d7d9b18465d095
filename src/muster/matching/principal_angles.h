// The principal angles kernel of Wolf and Shashua (JMLR 4, 2003; PMK 2, "Princ. ang."): with the
// cosines of the angles between the spans of two sets in the feature space of a local kernel k,
//   K(X, Y) = prod_i cos^2 theta_i.
// With the eigenpairs (l_i, u_i) of the values k(x, x') of a set, u_i / sqrt(l_i) are the
// coefficients of an orthonormal basis of its span; the cosines are the singular values of W_X K_XY
// W_Y^T, the bases W one per row. `dim` keeps the directions of the largest eigenvalues: a product
// over hundreds of angles is zero for all but equal sets. Directions below 1e-5 of the largest
// eigenvalue are left out, since single precision cannot tell them from none. A Mercer kernel if
// all spans have the same number of dimensions (dim vectors or more in every set); spans of
// different dimensions have as many angles as the smaller one, and then it is not a Mercer kernel.
// An empty set, and one whose span is the origin, has kernel 0 with everything. Cost O(m^2 d + m^3)
// per set, once, and O(m^2 d + m^2 dim) per pair; memory O(m (d + dim)) per set.
#pragma once

#include "muster/localkernel/local_kernel.h"
#include "muster/setkernel/set_kernel.h"

namespace muster {

struct PrincipalAnglesOptions {
  int dim = 10;
  LocalKernelOptions local;

  void fields(Fields& f) {
    f("dim", dim,
      "dimensions of the span that are compared, those with the largest eigenvalues; 0 takes the "
      "whole span")
        .range(0, 100000);
    local.fields(f);
  }
};

std::shared_ptr<const SetKernel> fit_principal_angles(const PrincipalAnglesOptions& options,
                                                      const Sample& sample, Rng rng,
                                                      const Progress& progress);
std::shared_ptr<const SetKernel> load_principal_angles(const PrincipalAnglesOptions& options,
                                                       const TensorReader& in);

}  // namespace muster
