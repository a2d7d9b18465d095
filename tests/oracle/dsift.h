// Dense SIFT of one patch in double precision, pixel by pixel, straight from the formula in
// features/dsift.h: no separable sums, no shared cells.
#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include "muster/core/matrix.h"

namespace muster::oracle {

struct DsiftPatch {
  int x0, y0, size;
  bool gaussian = false;
  double contrast = 0, clip = 0.2;
};

inline double tri(double u) { return std::max(0.0, 1 - std::abs(u)); }

// Central difference, one-sided at the border.
inline double difference(const Matrix<float>& grey, int x, int y, int dx, int dy) {
  const int w = static_cast<int>(grey.cols()), h = static_cast<int>(grey.rows());
  const int xa = std::max(x - dx, 0), xb = std::min(x + dx, w - 1);
  const int ya = std::max(y - dy, 0), yb = std::min(y + dy, h - 1);
  return (static_cast<double>(grey(yb, xb)) - grey(ya, xa)) / (xb - xa + yb - ya);
}

// Mean of the Gaussian window over the pixels of a cell, along one axis.
inline double cell_window(int size, int cell) {
  double sum = 0, count = 0;
  for (int x = -size; x < 2 * size; ++x) {
    if (tri(4.0 * x / size - 0.5 - cell) == 0) continue;
    sum += std::exp(-2 * std::pow(static_cast<double>(x) / size - 0.5, 2));
    ++count;
  }
  return sum / count;
}

inline std::array<double, 128> dsift(const Matrix<float>& grey, const DsiftPatch& patch) {
  std::array<double, 128> h{};
  const double cell = patch.size / 4.0;
  const int beyond = patch.size / 2;  // beyond the border its gradients go on
  const int width = static_cast<int>(grey.cols()), height = static_cast<int>(grey.rows());
  for (int y = patch.y0 - beyond; y < patch.y0 + patch.size + beyond; ++y) {
    for (int x = patch.x0 - beyond; x < patch.x0 + patch.size + beyond; ++x) {
      const int px = std::clamp(x, 0, width - 1), py = std::clamp(y, 0, height - 1);
      const double gx = difference(grey, px, py, 1, 0), gy = difference(grey, px, py, 0, 1);
      const double turn = std::fmod(std::atan2(gy, gx) / (std::numbers::pi / 4) + 8, 8);
      const double u = x - patch.x0, v = y - patch.y0;
      for (int i = 0; i < 128; ++i) {
        const double to_row = v / cell - 0.5 - i / 32, to_col = u / cell - 0.5 - i / 8 % 4;
        const double apart = std::abs(turn - i % 8);
        h[i] += std::hypot(gx, gy) * tri(to_row) * tri(to_col) * tri(std::min(apart, 8 - apart));
      }
    }
  }
  if (patch.gaussian)
    for (int i = 0; i < 128; ++i)
      h[i] *= cell_window(patch.size, i / 32) * cell_window(patch.size, i / 8 % 4);
  const auto length = [&h] {
    double sum = 0;
    for (double value : h) sum += value * value;
    return std::sqrt(sum);
  };
  const double first = length();
  if (first <= std::max(patch.contrast, 1e-6) * cell * cell) return {};
  for (double& value : h) value = std::min(patch.clip, value / first);
  const double second = length();
  for (double& value : h) value /= second;
  return h;
}

}  // namespace muster::oracle
