// Spatial pyramid matching by its definition (DSPM eqs 1 to 3), pair by pair.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "muster/core/vector_set.h"

namespace muster::oracle {

inline size_t nearest_word(std::span<const float> x, const Matrix<float>& words) {
  size_t best = 0;
  double least = INFINITY;
  for (size_t w = 0; w < words.rows(); ++w) {
    double distance = 0;
    for (size_t d = 0; d < x.size(); ++d)
      distance += std::pow(static_cast<double>(x[d]) - words(w, d), 2);
    if (distance < least) least = distance, best = w;
  }
  return best;
}

// Of one cell; `share` divides by the number of vectors of the whole set.
inline std::vector<double> cell_histogram(const VectorSet& set, const Matrix<float>& words,
                                          int level, int cell_x, int cell_y, bool share) {
  std::vector<double> out(words.rows());
  const int side = 1 << level;
  for (size_t i = 0; i < set.size(); ++i) {
    const int x = std::min(side - 1, static_cast<int>(set.places(i, 0) * static_cast<float>(side)));
    const int y = std::min(side - 1, static_cast<int>(set.places(i, 1) * static_cast<float>(side)));
    if (x == cell_x && y == cell_y)
      out[nearest_word(set.vectors.row(i), words)] +=
          share ? 1.0 / static_cast<double>(set.size()) : 1.0;
  }
  return out;
}

// The intersection in each cell, level by level and row by row.
inline std::vector<double> spm_cells(const VectorSet& a, const VectorSet& b,
                                     const Matrix<float>& words, int levels, bool share) {
  std::vector<double> out;
  for (int level = 0; level <= levels; ++level)
    for (int y = 0; y < 1 << level; ++y)
      for (int x = 0; x < 1 << level; ++x) {
        const auto ha = cell_histogram(a, words, level, x, y, share),
                   hb = cell_histogram(b, words, level, x, y, share);
        double sum = 0;
        for (size_t w = 0; w < ha.size(); ++w) sum += std::min(ha[w], hb[w]);
        out.push_back(sum);
      }
  return out;
}

}  // namespace muster::oracle
