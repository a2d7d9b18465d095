#include "muster/simd/assignment_simd.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/simd/assignment_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace muster::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<double, 8>;
using Vec = hn::Vec<Tag>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Keeps the smallest value that each lane has seen, and its column.
HWY_INLINE void keep_least(Vec values, Vec columns, Vec& least, Vec& at) {
  at = hn::IfThenElse(hn::Lt(values, least), columns, at);
  least = hn::Min(least, values);
}

struct Least {
  double value = kInfinity;
  size_t at = 0;

  void see(double other, size_t column) {
    if (other < value || (other == value && column < at)) *this = {other, column};
  }
};

HWY_INLINE Least least_of_lanes(Vec least, Vec at) {
  const Tag d;
  HWY_ALIGN double values[hn::MaxLanes(d)], columns[hn::MaxLanes(d)];
  hn::Store(least, d, values);
  hn::Store(at, d, columns);
  Least out;
  for (size_t v = 0; v < hn::Lanes(d); ++v) out.see(values[v], static_cast<size_t>(columns[v]));
  return out;
}

TwoSmallest two_smallest_simd(const double* HWY_RESTRICT costs,
                              const double* HWY_RESTRICT potentials, size_t n) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  Vec least = hn::Set(d, kInfinity), next = least;  // of each lane
  Vec columns = hn::Iota(d, 0), at = columns;
  const Vec step = hn::Set(d, static_cast<double>(lanes));
  size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    const Vec value = hn::Sub(hn::LoadU(d, costs + j), hn::LoadU(d, potentials + j));
    next = hn::Min(next, hn::Max(value, least));
    keep_least(value, columns, least, at);
    columns = hn::Add(columns, step);
  }
  Least first = least_of_lanes(least, at);
  // What the lanes hold besides it.
  double second = hn::GetLane(hn::MinOfLanes(d, next));
  HWY_ALIGN double values[hn::MaxLanes(d)];
  hn::Store(least, d, values);
  for (size_t v = 0; v < lanes; ++v)
    if (v != first.at % lanes) second = std::min(second, values[v]);
  for (; j < n; ++j) {
    const double value = costs[j] - potentials[j];
    second = std::min(second, std::max(value, first.value));
    first.see(value, j);
  }
  return {first.at, first.value, second};
}

NearestColumn shorten_simd(const double* HWY_RESTRICT costs, const double* HWY_RESTRICT potentials,
                           double offset, double row, const double* HWY_RESTRICT taken, size_t n,
                           double* HWY_RESTRICT distances, double* HWY_RESTRICT from) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  Vec least = hn::Set(d, kInfinity), of_free = least;  // of each lane
  Vec columns = hn::Iota(d, 0), at = columns;
  const Vec step = hn::Set(d, static_cast<double>(lanes)), offsets = hn::Set(d, offset),
            rows = hn::Set(d, row);
  size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    const Vec through =
        hn::Sub(hn::Sub(hn::LoadU(d, costs + j), hn::LoadU(d, potentials + j)), offsets);
    const Vec before = hn::LoadU(d, distances + j);
    const auto shorter = hn::Lt(through, before);
    const Vec now = hn::Min(through, before);
    hn::StoreU(now, d, distances + j);
    hn::StoreU(hn::IfThenElse(shorter, rows, hn::LoadU(d, from + j)), d, from + j);
    keep_least(now, columns, least, at);
    of_free = hn::Min(of_free, hn::Add(now, hn::LoadU(d, taken + j)));
    columns = hn::Add(columns, step);
  }
  Least nearest = least_of_lanes(least, at);
  double nearest_free = hn::GetLane(hn::MinOfLanes(d, of_free));
  for (; j < n; ++j) {
    const double through = costs[j] - potentials[j] - offset;
    if (through < distances[j]) {
      distances[j] = through;
      from[j] = row;
    }
    nearest.see(distances[j], j);
    nearest_free = std::min(nearest_free, distances[j] + taken[j]);
  }
  return {nearest.at, nearest.value, nearest_free};
}

}  // namespace muster::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster {
HWY_EXPORT(two_smallest_simd);
HWY_EXPORT(shorten_simd);

TwoSmallest two_smallest(std::span<const double> costs, std::span<const double> potentials) {
  MUSTER_CHECK(costs.size() == potentials.size() && costs.size() >= 2);
  return HWY_DYNAMIC_DISPATCH(two_smallest_simd)(costs.data(), potentials.data(), costs.size());
}

NearestColumn shorten(std::span<const double> costs, std::span<const double> potentials,
                      double offset, size_t row, std::span<const double> taken,
                      Distances& distances) {
  const size_t n = costs.size();
  MUSTER_CHECK(potentials.size() == n && taken.size() == n && distances.values.size() == n &&
               distances.from.size() == n);
  return HWY_DYNAMIC_DISPATCH(shorten_simd)(costs.data(), potentials.data(), offset,
                                            static_cast<double>(row), taken.data(), n,
                                            distances.values.data(), distances.from.data());
}

}  // namespace muster
#endif  // HWY_ONCE
