#include "muster/explain/item_vectors.h"

namespace muster {

ItemVectors::ItemVectors(const Ensemble& ensemble, const SetSource& source, size_t item)
    : name_(source.name(item)), kind_(source.kind(item)), begins_{0} {
  ensemble.check_kinds(source, {&item, 1});
  for (const Extraction* extraction : ensemble.extractions()) {
    specs_.push_back(extraction ? extraction->spec : "");
    sets_.push_back(source.load(extraction, item));
    begins_.push_back(begins_.back() + sets_.back().size());
  }
}

size_t ItemVectors::feature_of(const Extraction* extraction) const {
  const std::string spec = extraction ? extraction->spec : "";
  const auto found = std::ranges::find(specs_, spec);
  MUSTER_CHECK(found != specs_.end());
  return static_cast<size_t>(found - specs_.begin());
}

bool ItemVectors::has_places() const {
  return std::ranges::all_of(sets_, [](const VectorSet& set) { return set.has_places(); });
}

VectorSet KeptVectorsSource::load(const Extraction* extraction, size_t item) const {
  const size_t feature = vectors_.feature_of(extraction), begin = vectors_.begin(feature);
  const VectorSet& set = vectors_.set(feature);
  std::vector<size_t> rows;
  for (size_t i = 0; i < set.size(); ++i)
    if (choices_[item][begin + i]) rows.push_back(i);
  VectorSet out{select_rows(set.vectors.view(), rows), select_rows(set.places.view(), rows),
                set.image_width, set.image_height};
  if (set.has_weights())
    for (const size_t row : rows) out.weights.push_back(set.weights[row]);
  return out;
}

}  // namespace muster
