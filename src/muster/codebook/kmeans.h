// k-means: centres minimising sum_x min_j |x - c_j|^2 (Lloyd's iterations from k-means++ seeds).
// Used for vocabularies by EMK section 2, GEN 3.1, DSPM 4. Cost O(n k d) per iteration, by matrix
// products, and less if bounds of distances make them unnecessary (bounded_nearest.h). Memory
// besides the data: O(k d), and n k / 16 floats for the bounds.
#pragma once

#include <span>
#include <vector>

#include "muster/core/matrix.h"
#include "muster/core/options.h"
#include "muster/core/progress.h"
#include "muster/core/rng.h"

namespace muster {

enum class KMeansInit { kPlusPlus, kRandom };

struct KMeansOptions {
  int words = 1000, iterations = 30;
  // Stops when an iteration lowers the error by less than this share.
  double tolerance = 1e-4;
  KMeansInit init = KMeansInit::kPlusPlus;

  void fields(Fields& f);
};

struct KMeans {
  Matrix<float> centres;
  std::vector<float> half_norms;
  // Mean squared distance to the nearest centre, before each update of the centres; never rises
  // unless an empty cluster was seeded again.
  std::vector<double> error_per_iteration;
};

// Requires at least one vector, all finite. If there are fewer distinct vectors than `words`, there
// is one centre for each of them. The same seed gives the same centres for any number of threads.
KMeans fit_kmeans(const KMeansOptions& options, ConstMatrixView vectors, Rng rng,
                  const Progress& progress = {});

}  // namespace muster
