#include "muster/source/cached_source.h"

#include <algorithm>
#include <atomic>
#include <variant>

#include "muster/cluster/world.h"
#include "muster/core/memory.h"
#include "muster/source/scratch_file.h"

namespace muster {

struct CachedSource::Stage {
  explicit Stage(size_t index) : index(index) {}

  size_t index;  // the memory's row of slots; 0 is for vector sets
  // What is on disk, once it was prepared.
  std::atomic<std::shared_ptr<const FeatureStore>> stored{};
};

// Slots by (stage, item), filled while there is room and never emptied: what an item's set is does
// not depend on whether it was kept, or where.
class CachedSource::Memory {
 public:
  Memory(size_t num_items, size_t budget)
      : num_items_(num_items), room_(static_cast<int64_t>(budget)), spills_(budget > 0) {}

  std::optional<VectorSet> find(size_t stage, size_t item) {
    std::shared_ptr<const Slot> slot;
    {
      const std::lock_guard lock(mutex_);
      const auto found = slots_.find(stage * num_items_ + item);
      if (found == slots_.end()) return std::nullopt;
      slot = found->second;
    }
    if (const auto* set = std::get_if<VectorSet>(slot.get())) return *set;
    if (const auto* half = std::get_if<HalfSet>(slot.get())) return to_float(*half);
    return read(std::get<Spilled>(*slot));
  }
  // A vector set as it was read; not if there is no room, since its file can be read again.
  void keep_set(size_t item, const VectorSet& set) {
    if (take((set.vectors.size() + set.places.size()) * sizeof(float))) put(item, set);
  }
  // Features, in half precision.
  void keep_features(size_t stage, size_t item, const VectorSet& set) {
    if (!spills_) return;
    HalfSet half = to_half(set);
    if (take(half.num_bytes()))
      put(stage * num_items_ + item, std::move(half));
    else if (auto spilled = write(std::move(half)))
      put(stage * num_items_ + item, *std::move(spilled));
  }

 private:
  // Features whose vectors are in the temporary file, at an offset.
  struct Spilled {
    uint64_t offset;
    HalfSet rest;
  };
  using Slot = std::variant<HalfSet, VectorSet, Spilled>;

  bool take(size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (room_ < static_cast<int64_t>(bytes)) return false;
    room_ -= static_cast<int64_t>(bytes);
    return true;
  }
  void put(size_t key, Slot slot) {
    auto kept = std::make_shared<Slot>(std::move(slot));
    const std::lock_guard lock(mutex_);
    slots_.try_emplace(key, std::move(kept));
  }
  std::optional<Spilled> write(HalfSet half) {
    {
      const std::lock_guard lock(mutex_);
      if (!scratch_) scratch_ = std::make_unique<ScratchFile>();
    }
    const auto offset = scratch_->append(std::as_bytes(std::span(half.halves)));
    if (!offset) return std::nullopt;
    half.halves = std::vector<uint16_t>();  // {} would keep its memory
    return Spilled{*offset, std::move(half)};
  }
  std::optional<VectorSet> read(const Spilled& spilled) const {
    HalfSet half = spilled.rest;
    half.halves.resize(half.rows * half.cols);
    if (!scratch_->read(spilled.offset, std::as_writable_bytes(std::span(half.halves))))
      return std::nullopt;
    return to_float(half);
  }

  const size_t num_items_;
  std::mutex mutex_;
  int64_t room_;
  const bool spills_;
  std::unique_ptr<ScratchFile> scratch_;  // made when it is needed
  std::map<size_t, std::shared_ptr<const Slot>> slots_;
};

namespace {

constexpr size_t kMostByDefault = size_t{2} << 30;

size_t for_features(const SourceOptions& options) {
  return options.memory_bytes.value_or(
             std::min(machine_memory_bytes() / 4 / world().ranks_here(), kMostByDefault)) /
         2;
}

}  // namespace

CachedSource::CachedSource(std::unique_ptr<const SetSource> base, SourceOptions options)
    : base_(std::move(base)),
      memory_(std::make_unique<Memory>(base_->size(), for_features(options))) {
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
  if (auto kept = memory_->find(0, item)) return *std::move(kept);
  VectorSet set = base_->load(nullptr, item);
  memory_->keep_set(item, set);
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
  if (auto kept = memory_->find(stage.index, item)) return *std::move(kept);
  if (auto stored = find_stored(stage, extraction->spec, item)) return *std::move(stored);
  VectorSet set = base_->load(extraction, item);
  memory_->keep_features(stage.index, item, set);
  return set;
}

std::vector<ItemFailure> CachedSource::visit_here(const Extraction* extraction,
                                                  std::span<const size_t> items, const Body& body,
                                                  const Progress& progress) const {
  if (!disk_ || !extraction || features_)
    return SetSource::visit_here(extraction, items, body, progress);
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
  std::ranges::move(SetSource::visit_here(
                        extraction, left,
                        [&](size_t i, const VectorSet& set) { body(positions[i], set); }, progress),
                    std::back_inserter(failures));
  std::ranges::sort(failures, {}, &ItemFailure::item);
  return failures;
}

}  // namespace muster
