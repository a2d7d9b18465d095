#include "muster/explain/regions.h"

#include "muster/codebook/kmeans.h"
#include "muster/math/nearest.h"
#include "muster/setfeature/set_feature.h"

namespace muster {
namespace {

constexpr uint64_t kGroupingSeed = 1;

// Numbers the regions again, without those that hold no vector.
Regions without_empty(std::vector<uint32_t> of_vector, size_t most) {
  constexpr uint32_t kNone = UINT32_MAX;
  std::vector<uint32_t> number(most, kNone);
  Regions out;
  for (uint32_t& region : of_vector) {
    if (number[region] == kNone) number[region] = static_cast<uint32_t>(out.count++);
    region = number[region];
  }
  out.of_vector = std::move(of_vector);
  return out;
}

}  // namespace

Regions find_regions(const ItemVectors& vectors, int side) {
  const auto cells_per_side = static_cast<size_t>(side);
  const size_t most = cells_per_side * cells_per_side;
  std::vector<uint32_t> out(vectors.size());
  if (vectors.size() <= most) {
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<uint32_t>(i);
    return {std::move(out), vectors.size()};
  }
  for (size_t f = 0; f < vectors.num_features(); ++f) {
    const VectorSet& set = vectors.set(f);
    const std::span<uint32_t> own = std::span(out).subspan(vectors.begin(f), set.size());
    if (vectors.has_places()) {
      for (size_t i = 0; i < own.size(); ++i)
        own[i] = static_cast<uint32_t>(cell_of(set.places(i, 0), set.places(i, 1), cells_per_side));
    } else if (set.size() > 0) {
      KMeansOptions options;
      options.words = static_cast<int>(most);
      const KMeans groups = fit_kmeans(options, set.vectors, Rng(kGroupingSeed));
      find_nearest(set.vectors, groups.centres, groups.half_norms, own);
      for (uint32_t& group : own) group += static_cast<uint32_t>(f * most);
    }
  }
  return without_empty(std::move(out), most * vectors.num_features());
}

}  // namespace muster
