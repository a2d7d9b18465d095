#include "muster/source/feature_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "muster/cluster/world.h"
#include "muster/core/error.h"
#include "muster/core/parallel.h"
#include "muster/store/checksum.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

// Few enough to lose little, many enough for all threads.
constexpr size_t kBatch = 64;
constexpr auto kPause = std::chrono::milliseconds(50);

// An exclusive lock on a file of its own beside the entry, never removed: so the entry can be,
// while others wait. The kernel releases it with the process, however that ends.
class EntryLock {
 public:
  explicit EntryLock(const fs::path& file)
      : descriptor_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0)
      throw runtime_failure("{}: cannot be written; name another folder with --cache",
                            file.string());
  }
  ~EntryLock() { ::close(descriptor_); }
  EntryLock(const EntryLock&) = delete;
  EntryLock& operator=(const EntryLock&) = delete;

  bool try_lock() { return ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0; }

 private:
  int descriptor_;
};

fs::path lock_file(const fs::path& entry) { return entry.string() + ".lock"; }

size_t bytes_in(const fs::path& entry) {
  size_t total = 0;
  std::error_code error;
  for (fs::directory_iterator it(entry, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;
    const auto size = fs::file_size(it->path(), gone);
    if (!gone) total += size;
  }
  return total;
}

void mark_used(const fs::path& entry) {
  std::error_code ignored;
  fs::last_write_time(lock_file(entry), fs::file_time_type::clock::now(), ignored);
}

struct Entry {
  fs::path folder;
  fs::file_time_type used;
  size_t bytes;
};

std::vector<Entry> entries_of(const fs::path& cache) {
  std::vector<Entry> out;
  std::error_code error;
  for (fs::directory_iterator it(cache, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;
    if (!it->is_directory(gone)) continue;
    const auto used = fs::last_write_time(lock_file(it->path()), gone);
    out.push_back({it->path(), gone ? fs::file_time_type::min() : used, bytes_in(it->path())});
  }
  std::ranges::sort(out, {}, &Entry::used);
  return out;
}

// Removes entries other than `kept`, the longest unused first, until the cache holds at most
// `max_bytes`; false if that does not do. Entries that another process is writing stay.
bool make_room(const fs::path& cache, const fs::path& kept, size_t max_bytes) {
  std::vector<Entry> entries = entries_of(cache);
  size_t total = 0;
  for (const Entry& entry : entries) total += entry.bytes;
  for (const Entry& entry : entries) {
    if (total <= max_bytes) break;
    if (entry.folder == kept) continue;
    EntryLock lock(lock_file(entry.folder));
    if (!lock.try_lock()) continue;
    std::error_code ignored;
    fs::remove_all(entry.folder, ignored);
    total -= entry.bytes;
  }
  return total <= max_bytes;
}

std::shared_ptr<const FeatureStore> try_open(const fs::path& entry) {
  try {
    return std::make_shared<const FeatureStore>(FeatureStore::open(entry));
  } catch (const Error&) {
    return nullptr;  // nothing there, removed meanwhile, or damaged: made again
  }
}

class Filling {
 public:
  Filling(const CacheOptions& options, const SetSource& source, std::string stage, fs::path entry,
          const FeatureCache::Extract& extract, const Progress& progress)
      : options_(options),
        source_(source),
        stage_(std::move(stage)),
        entry_(std::move(entry)),
        extract_(extract),
        progress_(progress) {}

  std::vector<ItemFailure> failures;

  std::vector<size_t> missing(const FeatureStore* store, std::span<const size_t> items) const {
    std::vector<size_t> out;
    for (const size_t item : items)
      if (!store || !store->has(source_.stamp(item))) out.push_back(item);
    return out;
  }

  void add(std::span<const size_t> items) {
    FeatureWriter writer(entry_, {{"recipe", stage_}});
    ProgressStep step(progress_, "features", items.size());
    bool room = true;
    for (size_t begin = 0; begin < items.size() && room; begin += kBatch) {
      add_batch(items.subspan(begin, std::min(kBatch, items.size() - begin)), writer, step);
      room = make_room(options_.folder, entry_, options_.max_bytes);
    }
    writer.finish();
    make_room(options_.folder, entry_, options_.max_bytes);  // for what was not yet on disk
  }

 private:
  void add_batch(std::span<const size_t> items, FeatureWriter& writer, ProgressStep& step) {
    std::vector<VectorSet> sets(items.size());
    std::vector<std::string> reasons(items.size());
    parallel_for(items.size(), 4, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        try {
          sets[i] = extract_(items[i]);
        } catch (const Error& error) {
          if (error.kind() != ErrorKind::kData) throw;
          reasons[i] = error.what();
        }
        step.tick();
      }
    });
    for (size_t i = 0; i < items.size(); ++i) {
      if (reasons[i].empty())
        writer.add(source_.stamp(items[i]), sets[i]);
      else
        failures.push_back({items[i], reasons[i]});
    }
  }

  const CacheOptions& options_;
  const SetSource& source_;
  std::string stage_;
  fs::path entry_;
  const FeatureCache::Extract& extract_;
  const Progress& progress_;
};

}  // namespace

std::shared_ptr<const FeatureStore> FeatureCache::fill(
    const SetSource& source, const std::string& stage, std::span<const size_t> items,
    const Extract& extract, const Progress& progress, std::vector<ItemFailure>& failures) const {
  std::error_code error;
  fs::create_directories(options_.folder, error);
  if (error)
    throw runtime_failure("{}: the folder for features cannot be made: {}",
                          options_.folder.string(), error.message());
  std::string key = stage + "\n" + fs::weakly_canonical(source.root(), error).string();
  // Ranks do not wait for each other: each has an entry for its items.
  if (world().size() > 1) key += fmt::format("\n{} {}", world().rank(), world().size());
  const fs::path entry =
      options_.folder / fmt::format("{:016x}", checksum_of(std::as_bytes(std::span(key))));
  EntryLock lock(lock_file(entry));
  Filling filling(options_, source, stage, entry, extract, progress);
  auto store = try_open(entry);
  if (filling.missing(store.get(), items).empty()) {
    mark_used(entry);
    return store;
  }
  while (!lock.try_lock()) {
    if (progress) progress("waiting for another process", 0, items.size());
    std::this_thread::sleep_for(kPause);
  }
  mark_used(entry);
  store = try_open(entry);  // the other one may have done it
  if (!store) fs::remove_all(entry, error);
  const std::vector<size_t> missing = filling.missing(store.get(), items);
  if (!missing.empty()) filling.add(missing);
  failures = std::move(filling.failures);
  return try_open(entry);
}

}  // namespace muster
