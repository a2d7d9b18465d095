#include "muster/classify/classifier.h"

namespace muster {

Matrix<double> Classifier::scores(ConstMatrixView) const {
  MUSTER_CHECK(!"this classifier takes rows of a Gram matrix, not vectors");
  return {};
}

Matrix<double> Classifier::scores_from_gram(MatrixView<const double>) const {
  MUSTER_CHECK(!"this classifier takes vectors, not rows of a Gram matrix");
  return {};
}

}  // namespace muster
