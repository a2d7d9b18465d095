#include "muster/explain/place_map.h"

#include <cmath>

namespace muster {
namespace {

// How much of a value falls on each of the cells [first, first + shares.size()) of one axis.
struct Spread {
  size_t first = 0;
  std::vector<double> shares;
};

constexpr double kBellPerPatch = 1.5;

// A squared cosine at the middles of cells, which falls to a half at three quarters of the patch's
// width from the centre, and to 0 at twice that; `centre` and `width` in cells.
Spread spread(double centre, double width, size_t cells) {
  const double reach = std::max(kBellPerPatch * width, 0.5), last = static_cast<double>(cells - 1);
  const double begin = std::clamp(std::ceil(centre - reach - 0.5), 0.0, last);
  const double end = std::clamp(std::floor(centre + reach - 0.5), begin, last);
  Spread out{static_cast<size_t>(begin), {}};
  double total = 0;
  for (double at = begin; at <= end; ++at) {
    const double u = std::min(1.0, std::abs(at + 0.5 - centre) / reach);
    const double bell = std::cos(u * std::acos(0.0));
    out.shares.push_back(bell * bell);
    total += out.shares.back();
  }
  if (total <= 0) return {out.first, {1.0}};
  for (double& share : out.shares) share /= total;
  return out;
}

}  // namespace

Matrix<double> place_map(const ItemVectors& vectors, std::span<const double> values, int side) {
  MUSTER_CHECK(vectors.has_places() && values.size() == vectors.size());
  double width = 1, height = 1;
  for (size_t f = 0; f < vectors.num_features(); ++f)
    if (vectors.set(f).image_width > 0) {
      width = vectors.set(f).image_width;
      height = vectors.set(f).image_height;
    }
  const double longest = std::max(width, height);
  const auto cells = [&](double length) {
    return static_cast<size_t>(std::max(1.0, std::round(side * length / longest)));
  };
  Matrix<double> out(cells(height), cells(width));
  for (size_t f = 0; f < vectors.num_features(); ++f) {
    const Matrix<float>& places = vectors.set(f).places;
    for (size_t i = 0; i < places.rows(); ++i) {
      const double patch = static_cast<double>(places(i, 2)) * side;
      const Spread x = spread(places(i, 0) * static_cast<double>(out.cols()), patch, out.cols());
      const Spread y = spread(places(i, 1) * static_cast<double>(out.rows()), patch, out.rows());
      for (size_t r = 0; r < y.shares.size(); ++r)
        for (size_t c = 0; c < x.shares.size(); ++c)
          out(y.first + r, x.first + c) += values[vectors.begin(f) + i] * y.shares[r] * x.shares[c];
    }
  }
  return out;
}

}  // namespace muster
