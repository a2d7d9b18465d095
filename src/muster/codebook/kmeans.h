// k-means: centres minimising sum_x min_j |x - c_j|^2 (Lloyd's iterations from k-means++ seeds).
// Used for vocabularies by EMK section 2, GEN 3.1, DSPM 4. Cost O(n k d) an iteration, by matrix
// products, and less where bounds of distances spare them (bounded_nearest.h); memory beside the
// data O(k d) and, for the bounds, n k / 16 floats.
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
  int words = 1000;
  int iterations = 30;
  // Stops when an iteration lowers the error by less than this share.
  double tolerance = 1e-4;
  KMeansInit init = KMeansInit::kPlusPlus;

  void fields(Fields& f);
};

struct KMeans {
  Matrix<float> centres;
  std::vector<float> half_norms;
  // Mean squared distance to the nearest centre, before each update of the centres; never rises
  // but where an empty cluster was re-seeded.
  std::vector<double> error_per_iteration;
};

// Requires at least one vector, all finite. Where the vectors have fewer distinct values than
// `words`, there are that many centres. Same seed, same centres for any number of threads.
KMeans fit_kmeans(const KMeansOptions& options, ConstMatrixView vectors, Rng rng,
                  const Progress& progress = {});

}  // namespace muster
