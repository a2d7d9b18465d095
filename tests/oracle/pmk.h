// The pyramid match by its definition (PMK eqs 3 to 8): a map from bin to count at every level, no
// sort, no tree.
#pragma once

#include <cmath>
#include <map>
#include <vector>

#include "muster/core/matrix.h"

namespace muster::oracle {

using Histogram = std::map<std::vector<long long>, long long>;

// Of whole numbers q + offset, in bins of side 2^level.
inline Histogram histogram(const Matrix<float>& vectors, const std::vector<double>& offset,
                           double scale, int level) {
  Histogram out;
  for (size_t i = 0; i < vectors.rows(); ++i) {
    std::vector<long long> bin;
    for (size_t t = 0; t < vectors.cols(); ++t)
      bin.push_back(static_cast<long long>(
          std::floor(std::floor(static_cast<double>(vectors(i, t)) * scale + offset[t]) /
                     std::ldexp(1.0, level))));
    ++out[bin];
  }
  return out;
}

inline long long intersection(const Histogram& a, const Histogram& b) {
  long long sum = 0;
  for (const auto& [bin, count] : a)
    if (const auto other = b.find(bin); other != b.end()) sum += std::min(count, other->second);
  return sum;
}

// I_0, I_1, ... up to the level at which all points are in one bin.
inline std::vector<long long> intersections(const Matrix<float>& a, const Matrix<float>& b,
                                            const std::vector<double>& offset, double scale) {
  std::vector<long long> out;
  for (int level = 0; level < 64; ++level) {
    const Histogram x = histogram(a, offset, scale, level), y = histogram(b, offset, scale, level);
    out.push_back(intersection(x, y));
    if (x.size() == 1 && y.size() == 1 && x.begin()->first == y.begin()->first) return out;
  }
  return out;
}

// Eq 6 with weights 2^-i, or 2^i for the distance.
inline double pyramid_match(const std::vector<long long>& intersections, bool distance = false) {
  double sum = 0;
  for (size_t i = 0; i < intersections.size(); ++i) {
    const auto added = static_cast<double>(intersections[i] - (i == 0 ? 0 : intersections[i - 1]));
    sum += std::ldexp(added, distance ? static_cast<int>(i) : -static_cast<int>(i));
  }
  return sum;
}

// Eq 8.
inline double pyramid_match_eq8(const std::vector<long long>& intersections) {
  const int last = static_cast<int>(intersections.size()) - 1;
  double sum = std::ldexp(static_cast<double>(intersections.back()), -last);
  for (int i = 0; i < last; ++i)
    sum += std::ldexp(static_cast<double>(intersections[static_cast<size_t>(i)]), -(i + 1));
  return sum;
}

// Indyk & Thaper: sum_i 2^i |H_i(a) - H_i(b)|_1 over levels 0 .. num_levels-1.
inline double l1_embedding(const Matrix<float>& a, const Matrix<float>& b,
                           const std::vector<double>& offset, double scale, int num_levels) {
  double sum = 0;
  for (int level = 0; level < num_levels; ++level) {
    Histogram difference = histogram(a, offset, scale, level);
    for (const auto& [bin, count] : histogram(b, offset, scale, level)) difference[bin] -= count;
    for (const auto& [bin, count] : difference)
      sum += std::ldexp(static_cast<double>(std::llabs(count)), level);
  }
  return sum;
}

}  // namespace muster::oracle
