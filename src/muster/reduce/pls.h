// Partial least squares (GEN 3.2.2): y = B (x - mean), the rows of B orthonormal
// directions along which the vectors vary most with the class of the image they came from. With X
// the centred vectors and Y their classes (one-hot, centred), a direction u is the left singular
// vector of X'Y of largest singular value; then X is deflated to X (I - u u'), and so on.
//
// That ends after at most classes - 1 directions, when nothing is left in X'Y. The deflation then
// starts again from what the scores T = X U found so far leave of the vectors, X - T (T'T)^-1 T'X,
// as partial least squares does: its directions are orthogonal to all earlier ones. If that ends as
// well, principal components of the rest supply the missing directions.
//
// Only X'X (d x d) and X'Y (d x classes) are formed. Fit: O(n d^2 + d^3 dim / classes); apply: O(m
// d dim) per set.
#pragma once

#include <memory>

#include "muster/core/options.h"
#include "muster/reduce/reducer.h"

namespace muster {

struct PlsOptions {
  int dim = 40;

  void fields(Fields& f) {
    f("dim", dim,
      "dimensions to keep, at most as many as the vectors have; may exceed the number of classes")
        .range(1, 65536)
        .paper("GEN 3.2.2");
  }
};

// Vectors without a label take no part. Fewer than two classes are a data error, more dimensions
// than the vectors have a usage error. Signs are fixed (the largest component of a direction is
// positive).
std::unique_ptr<Reducer> fit_pls(const PlsOptions& options, const Sample& sample);
std::unique_ptr<Reducer> load_pls(const PlsOptions& options, const TensorReader& in);

}  // namespace muster
