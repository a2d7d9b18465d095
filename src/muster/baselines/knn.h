// The nearest training items vote: of the k nearest, in vectors by neighbours.h, in kernels by the
// same scores of the kernel's own space,
//
//   euclidean  k(x, y) - k(y, y) / 2   (falls as the distance of the two images grows)
//   cosine     k(x, y) / sqrt k(y, y)
//
// the one at rank r = 1, 2, ... gives each of its labels (1 + 2^-r) / k votes. The powers add up to
// less than one vote, so the class of more neighbours wins, and of equally many the one with the
// nearest neighbour. Any kernel will do, whether it is positive semi-definite or not; items of
// equal score rank in their order.
//
// Memory: the training vectors once, in single precision, and blocks of products; on kernels n
// numbers besides the training sets. Time: n d multiplications per item on vectors.
#pragma once

#include <memory>
#include <optional>

#include "muster/classify/gram_choice.h"
#include "muster/core/options.h"
#include "muster/core/rng.h"
#include "muster/math/neighbours.h"

namespace muster {

struct KnnOptions {
  std::optional<double> neighbours;  // none: chosen from 1 to 45
  Metric metric = Metric::kEuclidean;
  int folds = 10;

  void fields(Fields& f) {
    f("neighbours", neighbours, "how many vote; auto chooses it by cross-validation").range(1, 1e6);
    f.choice("metric", metric, {"euclidean", "cosine"}, "what is near");
    f("folds", folds, "folds of cross-validation").range(2, 1000);
  }
};

// Throws a data error for values that are not finite or labels of one class only, a usage error for
// neighbours that are not a whole number. Requires one row per label.
std::unique_ptr<Classifier> fit_knn(const KnnOptions& options, ConstMatrixView vectors,
                                    const Labels& labels, Rng rng, const Progress& progress);
std::unique_ptr<Classifier> load_knn(const KnnOptions& options, const TensorReader& in);

// The same on the best of the candidate Grams.
GramChoice fit_knn_on_gram(const KnnOptions& options, const GramCandidates& candidates,
                           const Labels& labels, const Rng& rng);
std::unique_ptr<Classifier> load_knn_on_gram(const KnnOptions& options, const TensorReader& in);

}  // namespace muster
