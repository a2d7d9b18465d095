#include "muster/store/feature_shards.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "muster/core/check_set.h"
#include "muster/core/error.h"
#include "muster/simd/half.h"
#include "muster/store/atomic_file.h"
#include "muster/store/file_kind.h"
#include "muster/store/safetensors.h"

namespace muster {
namespace fs = std::filesystem;

namespace {

constexpr FileKind kKind = FileKind::kFeatureShard;
constexpr std::string_view kPrefix = "shard-", kSuffix = ".safetensors";

bool fits_half(std::span<const float> values) {
  float largest = 0;
  for (float value : values) largest = std::max(largest, std::abs(value));
  return largest <= kMaxHalf;
}

fs::path shard_path(const fs::path& directory, size_t number) {
  return directory / fmt::format("{}{:05}{}", kPrefix, number, kSuffix);
}

// The shards of a folder by number; other files are none of our business.
std::map<size_t, fs::path> list_shards(const fs::path& directory) {
  std::map<size_t, fs::path> out;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) continue;
    size_t number;
    const char* last = name.data() + name.size() - kSuffix.size();
    const auto [stop, failure] = std::from_chars(name.data() + kPrefix.size(), last, number);
    if (failure == std::errc() && stop == last) out[number] = it->path();
  }
  if (error) throw data_error("cannot read folder '{}': {}", directory.string(), error.message());
  return out;
}

// Of a writer that was killed; requires that nobody else writes here now.
void remove_leftovers(const fs::path& directory) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, ignored))
    if (is_leftover(entry.path())) fs::remove(entry.path(), ignored);
}

// Offsets begin at 0, do not decrease and end at `total`.
bool are_offsets(const std::vector<uint64_t>& offsets, size_t total) {
  return !offsets.empty() && offsets.front() == 0 && offsets.back() == total &&
         std::ranges::is_sorted(offsets);
}

const Tensor& find_tensor(const TensorMap& map, const std::string& name, const fs::path& file) {
  const auto found = map.tensors.find(name);
  if (found == map.tensors.end() || found->second.shape.size() != 2 ||
      reinterpret_cast<uintptr_t>(found->second.data) % dtype_size(found->second.dtype) != 0)
    throw data_error("'{}' is not a shard of features: array '{}' is missing or malformed",
                     file.string(), name);
  return found->second;
}

}  // namespace

VectorSet round_to_half(VectorSet set) {
  if (!fits_half(set.vectors.values())) return set;
  std::vector<uint16_t> halves(set.vectors.size());
  floats_to_halves(set.vectors.values(), halves);
  halves_to_floats(halves, set.vectors.values());
  return set;
}

// ---- reading

struct FeatureStore::Shard {
  Tensor vectors;               // F16 or F32, all sets below each other
  Tensor places;                // F32, 0 or 3 columns
  std::vector<uint64_t> first;  // of each item and, at the end, of none
  Matrix<int32_t> image_sizes;  // width, height

  VectorSet load(size_t item) const;
};

VectorSet FeatureStore::Shard::load(size_t item) const {
  const size_t begin = first[item], rows = first[item + 1] - begin, dim = vectors.shape[1];
  VectorSet set;
  set.vectors = Matrix<float>(rows, dim);
  const std::byte* from = vectors.data + begin * dim * dtype_size(vectors.dtype);
  if (vectors.dtype == DType::kF16)
    halves_to_floats({reinterpret_cast<const uint16_t*>(from), rows * dim}, set.vectors.values());
  else if (rows * dim > 0)
    std::memcpy(set.vectors.data(), from, rows * dim * sizeof(float));
  set.places = Matrix<float>(rows, places.shape[1]);
  if (!set.places.empty())
    std::memcpy(set.places.data(), places.data + begin * places.shape[1] * sizeof(float),
                set.places.size() * sizeof(float));
  set.image_width = image_sizes(item, 0);
  set.image_height = image_sizes(item, 1);
  return set;
}

void FeatureStore::add_shard(const fs::path& file) {
  const TensorMap map = map_safetensors(file);
  const TensorReader reader(map);
  require_kind(kKind, reader, file.string());
  FeatureMetadata metadata = map.metadata;
  metadata.erase(kind_key(kKind));
  metadata.erase(kVersionKey);
  if (names_.empty()) metadata_ = metadata;
  if (metadata != metadata_)
    throw data_error(
        "'{}' was written with other settings than the shards before it; keep one extraction per "
        "folder",
        file.string());

  auto shard = std::make_shared<Shard>();
  shard->vectors = find_tensor(map, "descriptors", file);
  shard->places = find_tensor(map, "places", file);
  shard->first = reader.values<uint64_t>("item_offsets");
  shard->image_sizes = reader.matrix<int32_t>("image_sizes");
  const auto text = reader.values<uint8_t>("names");
  const auto name_offsets = reader.values<uint64_t>("name_offsets");
  const DType dtype = shard->vectors.dtype;
  const size_t rows = shard->vectors.shape[0], width = shard->places.shape[1];
  if ((dtype != DType::kF16 && dtype != DType::kF32) || shard->places.dtype != DType::kF32 ||
      shard->places.shape[0] != rows || (width != 0 && width != 3) ||
      !are_offsets(shard->first, rows) || !are_offsets(name_offsets, text.size()) ||
      name_offsets.size() != shard->first.size() ||
      shard->image_sizes.rows() + 1 != shard->first.size() || shard->image_sizes.cols() != 2 ||
      std::ranges::any_of(shard->image_sizes.values(), [](int32_t side) { return side < 0; }))
    throw data_error("'{}' is not a shard of features: its arrays do not fit together",
                     file.string());
  for (size_t i = 0; i + 1 < name_offsets.size(); ++i) {
    std::string name(text.begin() + static_cast<ptrdiff_t>(name_offsets[i]),
                     text.begin() + static_cast<ptrdiff_t>(name_offsets[i + 1]));
    if (!index_.emplace(name, names_.size()).second)
      throw data_error("'{}': item '{}' is in an earlier shard too", file.string(), name);
    names_.push_back(std::move(name));
    places_.push_back({shard, i});
  }
}

FeatureStore FeatureStore::open(const fs::path& directory) {
  FeatureStore store;
  const std::map<size_t, fs::path> shards = list_shards(directory);
  if (shards.empty())
    throw data_error("'{}' holds no features; expected files {}NNNNN{}", directory.string(),
                     kPrefix, kSuffix);
  for (const auto& [number, file] : shards) store.add_shard(file);
  return store;
}

std::optional<size_t> FeatureStore::find(const std::string& name) const {
  const auto found = index_.find(name);
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

VectorSet FeatureStore::load(size_t item) const {
  MUSTER_CHECK(item < places_.size());
  VectorSet set = places_[item].shard->load(places_[item].index);
  check_set(set, names_[item]);
  return set;
}

// ---- writing

// The operating system releases it with the process, however that ends.
class FeatureWriter::Lock {
 public:
  explicit Lock(const fs::path& directory)
      : descriptor_(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
    if (descriptor_ >= 0) ::close(descriptor_);
    throw runtime_failure("cannot write features to '{}': another process is writing there",
                          directory.string());
  }
  ~Lock() { ::close(descriptor_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int descriptor_;
};

// The next shard. All sets have one dimension and all or none have places; vectors are halves until
// a set does not fit, from then on floats.
struct FeatureWriter::Pending {
  size_t dim = 0, place_cols = 0;
  std::vector<uint16_t> halves;
  std::vector<float> floats, places;
  bool as_floats = false;
  std::vector<uint64_t> item_offsets{0}, name_offsets{0};
  std::vector<int32_t> image_sizes;
  std::vector<uint8_t> names;

  size_t num_items() const { return item_offsets.size() - 1; }
  size_t num_bytes() const {
    return halves.size() * sizeof(uint16_t) + (floats.size() + places.size()) * sizeof(float);
  }
  bool accepts(const VectorSet& set) const {
    return num_items() == 0 || (dim == set.dim() && place_cols == set.places.cols());
  }
  void add(const std::string& name, const VectorSet& set);
  TensorMap tensors(const FeatureMetadata& metadata) const;
};

void FeatureWriter::Pending::add(const std::string& name, const VectorSet& set) {
  dim = set.dim();
  place_cols = set.places.cols();
  if (!as_floats && !fits_half(set.vectors.values())) {
    floats.resize(halves.size());
    halves_to_floats(halves, floats);
    halves.clear();
    as_floats = true;
  }
  if (as_floats) {
    const VectorSet rounded = round_to_half(set);
    floats.insert(floats.end(), rounded.vectors.values().begin(), rounded.vectors.values().end());
  } else {
    halves.resize(halves.size() + set.vectors.size());
    floats_to_halves(set.vectors.values(), std::span(halves).last(set.vectors.size()));
  }
  places.insert(places.end(), set.places.values().begin(), set.places.values().end());
  item_offsets.push_back(item_offsets.back() + set.size());
  image_sizes.insert(image_sizes.end(), {set.image_width, set.image_height});
  names.insert(names.end(), name.begin(), name.end());
  name_offsets.push_back(names.size());
}

TensorMap FeatureWriter::Pending::tensors(const FeatureMetadata& metadata) const {
  TensorMap map;
  map.metadata = metadata;
  put_kind(kKind, TensorWriter(map));
  const auto put = [&]<class T>(const char* name, DType dtype, std::vector<size_t> shape,
                                const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    map.tensors[name] = {dtype, std::move(shape), bytes.data(), bytes.size(), nullptr};
  };
  const size_t rows = item_offsets.back();
  if (as_floats)
    put("descriptors", DType::kF32, {rows, dim}, floats);
  else
    put("descriptors", DType::kF16, {rows, dim}, halves);
  put("places", DType::kF32, {rows, place_cols}, places);
  put("item_offsets", DType::kU64, {item_offsets.size()}, item_offsets);
  put("name_offsets", DType::kU64, {name_offsets.size()}, name_offsets);
  put("names", DType::kU8, {names.size()}, names);
  put("image_sizes", DType::kI32, {num_items(), 2}, image_sizes);
  return map;
}

FeatureWriter::FeatureWriter(const fs::path& directory, FeatureMetadata metadata,
                             size_t shard_bytes)
    : directory_(directory),
      metadata_(std::move(metadata)),
      shard_bytes_(shard_bytes),
      pending_(std::make_unique<Pending>()) {
  MUSTER_CHECK(!metadata_.contains(kind_key(kKind)) && !metadata_.contains(kVersionKey));
  std::error_code error;
  fs::create_directory(directory_, error);
  if (error || !fs::is_directory(directory_))
    throw runtime_failure("cannot create folder '{}' for features: {}", directory_.string(),
                          error ? error.message() : "there is a file of that name");
  lock_ = std::make_unique<Lock>(directory_);
  remove_leftovers(directory_);
  const std::map<size_t, fs::path> shards = list_shards(directory_);
  if (shards.empty()) return;
  next_shard_ = shards.rbegin()->first + 1;
  const FeatureStore store = FeatureStore::open(directory_);
  for (const auto& [key, value] : metadata_) {
    const auto found = store.metadata().find(key);
    const std::string there = found == store.metadata().end() ? "" : found->second;
    if (there != value)
      throw usage_error(
          "'{}' holds features with {} '{}', not '{}'; choose another folder or delete this one",
          directory_.string(), key, there, value);
  }
  if (store.metadata().size() != metadata_.size())
    throw usage_error(
        "'{}' holds features with other settings; choose another folder or delete this one",
        directory_.string());
  known_.insert(store.names().begin(), store.names().end());
}

FeatureWriter::~FeatureWriter() = default;

bool FeatureWriter::has(const std::string& name) const { return known_.contains(name); }

void FeatureWriter::add(const std::string& name, const VectorSet& set) {
  MUSTER_CHECK(set.places.rows() == set.size() || set.places.cols() == 0);
  MUSTER_CHECK(set.places.cols() == 0 || set.has_places());
  if (has(name)) return;
  if (!pending_->accepts(set)) finish();
  pending_->add(name, set);
  known_.insert(name);
  if (pending_->num_bytes() >= shard_bytes_) finish();
}

void FeatureWriter::finish() {
  if (pending_->num_items() == 0) return;
  write_safetensors(shard_path(directory_, next_shard_), pending_->tensors(metadata_),
                    WrittenBy::kEveryRank);
  ++next_shard_;
  *pending_ = Pending();
}

}  // namespace muster
