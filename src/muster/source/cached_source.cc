#include "muster/source/cached_source.h"

#include <algorithm>
#include <atomic>
#include <variant>

namespace muster {

struct CachedSource::Stage {
  explicit Stage(size_t index) : index(index) {}

  size_t index;  // the memory's row of slots; 0 is for vector sets
  // What is on disk, once it was prepared.
  std::atomic<std::shared_ptr<const FeatureStore>> stored{};
};

// Slots by (stage, item), filled while there is room and never emptied: what an item's set is does
// not depend on whether it was kept.
struct CachedSource::Memory {
  using Slot = std::variant<HalfSet, VectorSet>;  // features; vector sets as they were read

  Memory(size_t num_items, size_t budget)
      : num_items(num_items), room(static_cast<int64_t>(budget)) {}

  std::shared_ptr<const Slot> find(size_t stage, size_t item) {
    const std::lock_guard lock(mutex);
    const auto found = slots.find(stage * num_items + item);
    return found == slots.end() ? nullptr : found->second;
  }
  bool has_room(size_t bytes) {
    const std::lock_guard lock(mutex);
    return room >= static_cast<int64_t>(bytes);
  }
  void keep(size_t stage, size_t item, Slot slot, size_t num_bytes) {
    const auto bytes = static_cast<int64_t>(num_bytes);
    const std::lock_guard lock(mutex);
    if (room < bytes) return;
    if (slots.try_emplace(stage * num_items + item, std::make_shared<Slot>(std::move(slot))).second)
      room -= bytes;
  }

  const size_t num_items;
  std::mutex mutex;
  int64_t room;
  std::map<size_t, std::shared_ptr<const Slot>> slots;
};

CachedSource::CachedSource(std::unique_ptr<const SetSource> base, SourceOptions options)
    : base_(std::move(base)),
      memory_(std::make_unique<Memory>(base_->size(), options.memory_bytes)) {
  if (!options.features.empty()) {
    if (base_->size() > 0 && base_->kind(0) == ItemKind::kVectorSets)
      throw usage_error("features in {}: the items are vector sets, which need none",
                        options.features.string());
    features_ = FeatureStore::open(options.features);
  }
  if (!options.disk.folder.empty()) disk_.emplace(std::move(options.disk));
}

CachedSource::~CachedSource() = default;

CachedSource::Stage& CachedSource::stage_of(const Extraction& extraction) const {
  const std::lock_guard lock(stages_mutex_);
  std::unique_ptr<Stage>& entry = stages_[extraction.spec];
  if (!entry) entry = std::make_unique<Stage>(stages_.size());
  return *entry;
}

VectorSet CachedSource::load_set(size_t item) const {
  if (base_->in_memory(item)) return base_->load(nullptr, item);
  if (const auto kept = memory_->find(0, item)) return std::get<VectorSet>(*kept);
  VectorSet set = base_->load(nullptr, item);
  const size_t bytes = (set.vectors.size() + set.places.size()) * sizeof(float);
  if (memory_->has_room(bytes)) memory_->keep(0, item, set, bytes);
  return set;
}

std::optional<VectorSet> CachedSource::find_stored(const Stage& stage, const std::string& spec,
                                                   size_t item) const {
  if (features_) {
    const auto made_by = features_->metadata().find("recipe");
    const std::string recipe = made_by == features_->metadata().end() ? "" : made_by->second;
    if (recipe != spec)
      throw usage_error(
          "the stored features were made by '{}', the method needs '{}'; extract those or leave "
          "the stored ones out",
          recipe, spec);
    if (const auto stored = features_->find(base_->name(item))) return features_->load(*stored);
  }
  if (const auto store = stage.stored.load())
    if (const auto stored = store->find(base_->stamp(item))) return store->load(*stored);
  return std::nullopt;
}

VectorSet CachedSource::load(const Extraction* extraction, size_t item) const {
  if (base_->kind(item) == ItemKind::kVectorSets) return load_set(item);
  if (!extraction) refuse_picture(base_->name(item));
  const Stage& stage = stage_of(*extraction);
  if (const auto kept = memory_->find(stage.index, item)) return to_float(std::get<HalfSet>(*kept));
  if (auto stored = find_stored(stage, extraction->spec, item)) return *std::move(stored);
  VectorSet set = base_->load(extraction, item);
  const size_t bytes = set.vectors.size() * sizeof(uint16_t) + set.places.size() * sizeof(float);
  if (memory_->has_room(bytes)) memory_->keep(stage.index, item, to_half(set), bytes);
  return set;
}

std::vector<ItemFailure> CachedSource::visit(const Extraction* extraction,
                                             std::span<const size_t> items, const Body& body,
                                             const Progress& progress) const {
  if (!disk_ || !extraction || features_)
    return SetSource::visit(extraction, items, body, progress);
  std::vector<size_t> files;  // positions
  std::map<size_t, size_t> position_of;
  for (size_t i = 0; i < items.size(); ++i) {
    position_of[items[i]] = i;
    if (base_->kind(items[i]) == ItemKind::kImages && !base_->stamp(items[i]).empty())
      files.push_back(items[i]);
  }
  std::vector<uint8_t> done(items.size());  // by position
  std::vector<ItemFailure> failures;
  stage_of(*extraction).stored = disk_->fill(
      *base_, extraction->spec, files,
      [&](size_t item) {
        VectorSet set = base_->load(extraction, item);
        const size_t position = position_of.at(item);
        body(position, set);
        done[position] = 1;
        return set;
      },
      progress, failures);
  for (const ItemFailure& failure : failures) done[position_of.at(failure.item)] = 1;
  // What was on disk before, and what had no room there: that is kept in memory.
  std::vector<size_t> left, positions;
  for (size_t i = 0; i < items.size(); ++i)
    if (!done[i]) {
      left.push_back(items[i]);
      positions.push_back(i);
    }
  std::ranges::move(SetSource::visit(
                        extraction, left,
                        [&](size_t i, const VectorSet& set) { body(positions[i], set); }, progress),
                    std::back_inserter(failures));
  std::ranges::sort(failures, {}, &ItemFailure::item);
  return failures;
}

}  // namespace muster
