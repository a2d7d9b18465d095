#include "muster/pipeline/item_source.h"

#include <algorithm>
#include <atomic>
#include <set>

#include "muster/core/parallel.h"
#include "muster/image/decode.h"
#include "muster/simd/half.h"

namespace muster {
namespace {

// A set at rest.
struct RestingSet {
  std::vector<uint16_t> halves;  // extracted features
  Matrix<float> exact;           // vector sets as they were read
  size_t rows = 0, cols = 0;
  Matrix<float> places;
  int image_width = 0, image_height = 0;

  size_t num_bytes() const {
    return halves.size() * sizeof(uint16_t) + (exact.size() + places.size()) * sizeof(float);
  }
};

RestingSet put_to_rest(const VectorSet& set, bool rounded) {
  RestingSet out;
  out.rows = set.size();
  out.cols = set.dim();
  out.places = set.places;
  out.image_width = set.image_width;
  out.image_height = set.image_height;
  if (rounded) {
    out.halves.resize(set.vectors.size());
    floats_to_halves(set.vectors.values(), out.halves);
  } else {
    out.exact = set.vectors;
  }
  return out;
}

VectorSet wake(const RestingSet& rest) {
  VectorSet out{rest.exact, rest.places, rest.image_width, rest.image_height};
  if (!rest.halves.empty() || rest.exact.cols() != rest.cols) {
    out.vectors = Matrix<float>(rest.rows, rest.cols);
    halves_to_floats(rest.halves, out.vectors.values());
  }
  return out;
}

void require_finite(const VectorSet& set, const std::string& name) {
  for (float value : set.vectors.values())
    if (!std::isfinite(value)) throw data_error("{}: its features are not finite numbers", name);
}

VectorSet extract(const std::filesystem::path& path, const Extractor& extractor, int max_side_px) {
  DecodeOptions decode;
  decode.longest_side_px = max_side_px;
  VectorSet set = extractor.extract(read_image(path, decode));
  require_finite(set, path.string());
  return set;
}

}  // namespace

struct ItemSource::KeyedExtractor {
  KeyedExtractor(std::string spec, size_t index, std::unique_ptr<Extractor> extractor,
                 int max_side_px)
      : spec(std::move(spec)),
        index(index),
        extractor(std::move(extractor)),
        max_side_px(max_side_px) {}

  std::string spec;
  size_t index;  // the cache's row of slots
  std::unique_ptr<Extractor> extractor;
  int max_side_px;
  // What is on disk, once it was prepared.
  std::atomic<std::shared_ptr<const FeatureStore>> stored{};
};

// Slots by (extractor, item), filled while there is room and never emptied: what an item's set is
// does not depend on whether it was kept.
struct ItemSource::Cache {
  explicit Cache(size_t num_items, size_t budget)
      : num_items(num_items), room(static_cast<int64_t>(budget)) {}

  std::shared_ptr<const RestingSet> find(size_t extractor, size_t item) {
    const std::lock_guard lock(mutex);
    const auto found = sets.find(extractor * num_items + item);
    return found == sets.end() ? nullptr : found->second;
  }
  void keep(size_t extractor, size_t item, RestingSet set) {
    const auto bytes = static_cast<int64_t>(set.num_bytes());
    const std::lock_guard lock(mutex);
    if (room < bytes) return;
    if (sets.try_emplace(extractor * num_items + item, std::make_shared<RestingSet>(std::move(set)))
            .second)
      room -= bytes;
  }

  const size_t num_items;
  std::mutex mutex;
  int64_t room;
  std::map<size_t, std::shared_ptr<const RestingSet>> sets;
};

ItemSource::ItemSource(const Dataset& dataset, size_t cache_bytes)
    : dataset_(dataset), cache_(std::make_unique<Cache>(dataset.items.size(), cache_bytes)) {}

ItemSource::~ItemSource() = default;

ItemSource::KeyedExtractor& ItemSource::extractor_for(const PlannedStage& stage) const {
  const std::string key = stage.full_spec().text();
  const std::lock_guard lock(extractors_mutex_);
  std::unique_ptr<KeyedExtractor>& entry = extractors_[key];
  if (!entry) {
    const ExtractorStage& functions = stage.as<ExtractorStage>();
    entry =
        std::make_unique<KeyedExtractor>(key, extractors_.size(), functions.make(*stage.options),
                                         functions.max_side_px(*stage.options));
  }
  return *entry;
}

void ItemSource::use_features(const std::filesystem::path& folder) {
  if (dataset_.kind == ItemKind::kVectorSets)
    throw usage_error("features in {}: the items are vector sets, which need none",
                      folder.string());
  features_ = FeatureStore::open(folder);
}

void ItemSource::use_cache(CacheOptions options) { disk_.emplace(std::move(options)); }

VectorSet ItemSource::load(const std::optional<PlannedStage>& extractor, size_t item) const {
  const Item& entry = dataset_.items[item];
  if (dataset_.kind == ItemKind::kVectorSets) {
    if (const auto kept = cache_->find(0, item)) return wake(*kept);
    VectorSet set = load_vector_set(entry.path);
    cache_->keep(0, item, put_to_rest(set, false));
    return set;
  }
  if (!extractor)
    throw usage_error(
        "recipe: these items are pictures, so a feature stage such as dsift must come first");
  const KeyedExtractor& keyed = extractor_for(*extractor);
  if (features_) {
    const auto made_by = features_->metadata().find("recipe");
    const std::string recipe = made_by == features_->metadata().end() ? "" : made_by->second;
    if (recipe != keyed.spec)
      throw usage_error(
          "the stored features were made by '{}', the method needs '{}'; extract those or leave "
          "the "
          "stored ones out",
          recipe, keyed.spec);
    if (const auto stored = features_->find(entry.name)) return features_->load(*stored);
  }
  if (const auto store = keyed.stored.load())
    if (const auto stored = store->find(cached_name(entry))) return store->load(*stored);
  if (const auto kept = cache_->find(keyed.index, item)) return wake(*kept);
  RestingSet rest = put_to_rest(extract(entry.path, *keyed.extractor, keyed.max_side_px), true);
  VectorSet set = wake(rest);
  cache_->keep(keyed.index, item, std::move(rest));
  return set;
}

std::vector<ItemFailure> ItemSource::fill_disk(KeyedExtractor& keyed, std::span<const size_t> items,
                                               const Progress& progress) const {
  std::vector<FeatureCache::Failure> failures;
  keyed.stored = disk_->fill(
      dataset_, keyed.spec, items,
      [&](size_t item) {
        return wake(put_to_rest(
            extract(dataset_.items[item].path, *keyed.extractor, keyed.max_side_px), true));
      },
      progress, failures);
  std::vector<ItemFailure> out;
  for (FeatureCache::Failure& failure : failures)
    out.push_back({failure.item, std::move(failure.reason)});
  return out;
}

std::vector<ItemFailure> ItemSource::prepare(const std::optional<PlannedStage>& extractor,
                                             std::span<const size_t> items,
                                             const Progress& progress) const {
  std::vector<ItemFailure> failures;
  std::vector<size_t> left(items.begin(), items.end());
  if (disk_ && extractor && dataset_.kind == ItemKind::kImages && !features_) {
    KeyedExtractor& keyed = extractor_for(*extractor);
    failures = fill_disk(keyed, items, progress);
    std::set<size_t> bad;
    for (const ItemFailure& failure : failures) bad.insert(failure.item);
    // What the cache had no room for is kept in memory.
    const auto store = keyed.stored.load();
    std::erase_if(left, [&](size_t item) {
      return bad.contains(item) || (store && store->has(cached_name(dataset_.items[item])));
    });
    if (left.empty()) return failures;
  }
  std::vector<std::string> reasons(left.size());
  ProgressStep step(progress, dataset_.kind == ItemKind::kImages ? "features" : "reading sets",
                    left.size());
  parallel_for(left.size(), 4, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      try {
        load(extractor, left[i]);
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::kData) throw;
        reasons[i] = error.what();
      }
      step.tick();
    }
  });
  for (size_t i = 0; i < left.size(); ++i)
    if (!reasons[i].empty()) failures.push_back({left[i], reasons[i]});
  std::ranges::sort(failures, {}, &ItemFailure::item);
  return failures;
}

VectorSet load_item(const std::filesystem::path& path, ItemKind kind,
                    const std::optional<PlannedStage>& extractor) {
  if (kind == ItemKind::kVectorSets) return load_vector_set(path);
  if (!extractor)
    throw usage_error("recipe: {} is a picture, so a feature stage such as dsift must come first",
                      path.string());
  const ExtractorStage& functions = extractor->as<ExtractorStage>();
  const auto made = functions.make(*extractor->options);
  return wake(put_to_rest(extract(path, *made, functions.max_side_px(*extractor->options)), true));
}

}  // namespace muster
