#include "muster/setkernel/correspondence.h"

#include <algorithm>
#include <tuple>

namespace muster {
namespace {

// Points of one set that found no partner inside a bin, and the bin's first point.
struct Unmatched {
  size_t first;
  bool from_b = false;
  std::vector<uint32_t> rows;
};

// Joins neighbouring bins [begin, end), which become one at `level`; new pairs go to `out`.
Unmatched join(std::span<Unmatched> bins, int level, double weight,
               std::vector<Correspondence>& out) {
  std::vector<uint32_t> left[2];
  for (Unmatched& bin : bins)
    left[bin.from_b].insert(left[bin.from_b].end(), bin.rows.begin(), bin.rows.end());
  const size_t pairs = std::min(left[0].size(), left[1].size());
  for (size_t i = 0; i < pairs; ++i) out.push_back({left[0][i], left[1][i], level, weight});
  const bool from_b = left[1].size() > left[0].size();
  left[from_b].erase(left[from_b].begin(),
                     left[from_b].begin() + static_cast<std::ptrdiff_t>(pairs));
  return {bins[0].first, from_b, std::move(left[from_b])};
}

}  // namespace

std::vector<Correspondence> match_nested(
    std::span<const NestedPoint> points, int num_levels,
    const std::function<double(size_t k, int level)>& weight_of) {
  std::vector<Unmatched> bins;
  for (size_t k = 0; k < points.size(); ++k) bins.push_back({k, points[k].from_b, {points[k].row}});
  std::vector<Correspondence> out;
  for (int level = 0; level < num_levels && bins.size() > 1; ++level) {
    std::vector<Unmatched> joined;
    for (size_t begin = 0, end; begin < bins.size(); begin = end) {
      end = begin + 1;
      while (end < bins.size() && points[bins[end].first].merge_level <= level) ++end;
      if (end == begin + 1)
        joined.push_back(std::move(bins[begin]));
      else
        joined.push_back(join(std::span(bins).subspan(begin, end - begin), level,
                              weight_of(bins[begin].first, level), out));
    }
    bins = std::move(joined);
  }
  std::ranges::sort(out, {}, [](const Correspondence& c) { return std::tuple(c.level, c.a, c.b); });
  return out;
}

std::vector<Correspondence> pyramid_matches(const SetKernel& kernel, const VectorSet& a,
                                            const VectorSet& b) {
  const auto* matcher = dynamic_cast<const ImpliesMatches*>(&kernel);
  if (!matcher)
    throw usage_error("match: this kernel implies no correspondences; use pmk or vg-pmk");
  return matcher->matches(a, b);
}

}  // namespace muster
