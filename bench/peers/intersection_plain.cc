// Compiled with -O3 -march=native (bench/CMakeLists.txt): the loop to beat.
#include "peers/intersection_plain.h"

namespace muster::bench {

void plain_intersection_gram(const float* histograms, size_t n, size_t bins, float* gram) {
  for (size_t i = 0; i < n; ++i)
    for (size_t j = i; j < n; ++j) {
      const float *a = histograms + i * bins, *b = histograms + j * bins;
      float sum = 0;
      for (size_t t = 0; t < bins; ++t) sum += a[t] < b[t] ? a[t] : b[t];
      gram[i * n + j] = gram[j * n + i] = sum;
    }
}

}  // namespace muster::bench
