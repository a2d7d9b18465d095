#include "muster/choose/data_facts.h"

#include "muster/core/timer.h"
#include "muster/features/dnn.h"
#include "muster/recipe/plan.h"

namespace muster {
namespace {

constexpr size_t kLookedAt = 24;
// Cheap, and tells the size of a picture and whether it has colour.
constexpr const char* kGlance = "rgb:step=16,size=8/bow";
// Half precision and JPEG files make grey pictures look a little coloured.
constexpr float kColourful = 0.02F;

// Of vectors of `rgb`: does some cell have channels of different means?
bool has_colour(const VectorSet& set) {
  for (size_t r = 0; r < set.size(); ++r) {
    const auto row = set.vectors.row(r);
    for (size_t cell = 0; cell + 6 <= row.size(); cell += 6)
      if (std::max({row[cell], row[cell + 1], row[cell + 2]}) -
              std::min({row[cell], row[cell + 1], row[cell + 2]}) >
          kColourful)
        return true;
  }
  return false;
}

template <class T>
T median(std::vector<T> values) {
  if (values.empty()) return T();
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

DataLook look_at(const SetSource& source, std::span<const size_t> items, const Labels& labels,
                 std::span<const std::string> overrides) {
  DataLook out;
  out.items = items.size();
  out.classes = labels.num_classes();
  out.multi_label = !labels.single_label();
  if (items.empty()) return out;
  out.kind = source.kind(items[0]);
  const bool given = std::ranges::any_of(
      overrides, [](const std::string& one) { return one.starts_with("dnn.model="); });
  out.network = out.kind == ItemKind::kImages && (given || network_named());
  const Plan plan = plan_recipe(parse_recipe(kGlance));
  const size_t count = std::min(kLookedAt, items.size());
  std::vector<int> sides;
  std::vector<size_t> sizes, dims;
  size_t coloured = 0;
  const Timer timer;
  for (size_t i = 0; i < count; ++i) {
    VectorSet set;
    try {
      set = source.load(plan.branches[0].extraction.get(), items[i * items.size() / count]);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kData) throw;
      continue;
    }
    sides.push_back(std::max(set.image_width, set.image_height));
    sizes.push_back(set.size());
    if (set.size() > 0) {
      dims.push_back(set.dim());
      out.places = set.has_places();
    }
    coloured += out.kind == ItemKind::kImages && has_colour(set);
  }
  out.seconds_per_item = timer.seconds() / static_cast<double>(count);
  out.side_px = median(sides);
  out.vectors = median(sizes);
  out.dim = median(dims);
  // A few coloured pictures among grey ones tell nothing.
  out.colour = 4 * coloured > count;
  return out;
}

}  // namespace muster
