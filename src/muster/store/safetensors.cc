#include "muster/store/safetensors.h"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <optional>

#include "muster/store/atomic_file.h"
#include "muster/store/checksum.h"
#include "muster/store/mapped_file.h"
#include "muster/store/read_file.h"

namespace muster {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors is little-endian");
using nlohmann::json;

constexpr const char* kMetadata = "__metadata__";
constexpr const char* kChecksum = "muster.checksum";
constexpr std::string_view kChecksumEntry = "\"muster.checksum\":\"";
constexpr std::string_view kBlankDigits = "0000000000000000";
constexpr size_t kLengthBytes = 8;
constexpr size_t kMaxHeaderBytes = 100'000'000;  // the limit of the format's own library

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// In a JSON text a quote inside a string is escaped, so this finds the entry itself or nothing.
std::optional<size_t> find_checksum_digits(std::string_view header) {
  const size_t found = header.find(kChecksumEntry);
  if (found == std::string_view::npos) return std::nullopt;
  const size_t digits = found + kChecksumEntry.size();
  if (digits + kBlankDigits.size() >= header.size() || header[digits + kBlankDigits.size()] != '"')
    return std::nullopt;
  return digits;
}

// Over the header with blank digits, padding included, then the arrays.
Checksum begin_checksum(std::string header, size_t digits) {
  header.replace(digits, kBlankDigits.size(), kBlankDigits);
  return Checksum(checksum_of(bytes_of(header)));
}

// ---- writing

using Entry = const std::pair<const std::string, Tensor>*;

std::vector<Entry> file_order(const TensorMap& map) {
  std::vector<Entry> order;
  order.reserve(map.tensors.size());
  for (const auto& entry : map.tensors) order.push_back(&entry);
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [](Entry entry) { return dtype_size(entry->second.dtype); });
  return order;
}

std::string header_text(const TensorMap& map, const std::vector<Entry>& order,
                        const std::string& file) {
  json header = json::object();
  json& metadata = header[kMetadata] = map.metadata;
  metadata[kChecksum] = kBlankDigits;
  size_t offset = 0;
  for (Entry entry : order) {
    const auto& [name, tensor] = *entry;
    MUSTER_CHECK(name != kMetadata);
    MUSTER_CHECK(tensor.num_bytes == tensor.num_elements() * dtype_size(tensor.dtype));
    header[name] = {{"dtype", dtype_name(tensor.dtype)},
                    {"shape", tensor.shape},
                    {"data_offsets", {offset, offset + tensor.num_bytes}}};
    offset += tensor.num_bytes;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const json::type_error&) {
    throw data_error(
        "cannot write '{}': a name or text in it is not valid UTF-8; rename the class or file",
        file);
  }
  text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');
  return text;
}

// What comes before the arrays: the length of the header, and the header with its checksum.
std::string file_head(const TensorMap& map, const std::vector<Entry>& order,
                      const std::string& file) {
  std::string header = header_text(map, order, file);
  const std::optional<size_t> digits = find_checksum_digits(header);
  MUSTER_CHECK(digits.has_value());
  Checksum sum = begin_checksum(header, *digits);
  for (Entry entry : order) sum.update({entry->second.data, entry->second.num_bytes});
  header.replace(*digits, kBlankDigits.size(), fmt::format("{:016x}", sum.digest()));
  const uint64_t length = header.size();
  std::string head(kLengthBytes, '\0');
  std::memcpy(head.data(), &length, kLengthBytes);
  return head + header;
}

// ---- reading

// Throws a data error about one file.
struct Complaint {
  const std::string& file;
  template <class... Args>
  [[noreturn]] void operator()(fmt::format_string<Args...> what, Args&&... args) const {
    throw data_error("'{}' is damaged or not a safetensors file: {}", file,
                     fmt::format(what, std::forward<Args>(args)...));
  }
};

std::string_view find_header(std::span<const std::byte> bytes, const Complaint& complain) {
  if (bytes.size() < kLengthBytes) complain("it has only {} bytes", bytes.size());
  uint64_t length;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kMaxHeaderBytes) complain("a header of {} bytes is not allowed", length);
  if (length > bytes.size() - kLengthBytes)
    complain("cut short: the header should have {} bytes, the file has {}", length, bytes.size());
  return {reinterpret_cast<const char*>(bytes.data()) + kLengthBytes, static_cast<size_t>(length)};
}

void verify_checksum(std::string_view header, std::span<const std::byte> data,
                     const std::string& expected, const Complaint& complain) {
  const std::optional<size_t> digits = find_checksum_digits(header);
  if (!digits) complain("its checksum is not where it should be");
  Checksum sum = begin_checksum(std::string(header), *digits);
  sum.update(data);
  const std::string actual = fmt::format("{:016x}", sum.digest());
  if (actual != expected)
    complain("the checksum is {}, the header says {}: bit-flipped or cut short", actual, expected);
}

DType parse_dtype(const std::string& text, const std::string& tensor, const Complaint& complain) {
  for (DType dtype : {DType::kU8, DType::kF16, DType::kI32, DType::kU32, DType::kF32, DType::kI64,
                      DType::kU64, DType::kF64})
    if (text == dtype_name(dtype)) return dtype;
  complain("array '{}' has type '{}'; known are U8, F16, I32, U32, F32, I64, U64, F64", tensor,
           text);
}

size_t parse_size(const json& value, const std::string& tensor, const Complaint& complain) {
  if (!value.is_number_unsigned())
    complain("array '{}' has a size that is not a whole number", tensor);
  return value.get<size_t>();
}

struct Range {
  size_t begin, end;
};

// Shape, type and place of one array, consistent with each other and inside the data.
Tensor parse_tensor(const std::string& name, const json& entry, std::span<const std::byte> data,
                    Range& range, const Complaint& complain) {
  const auto member = [&](const char* key) -> const json& {
    const auto found = entry.find(key);
    if (found == entry.end()) complain("array '{}' has no {}", name, key);
    return *found;
  };
  if (!entry.is_object() || entry.size() != 3) complain("array '{}' is not described", name);
  const json &dtype = member("dtype"), &shape = member("shape"), &offsets = member("data_offsets");
  if (!dtype.is_string() || !shape.is_array() || !offsets.is_array() || offsets.size() != 2)
    complain("the description of array '{}' is malformed", name);

  Tensor tensor;
  tensor.dtype = parse_dtype(dtype.get_ref<const std::string&>(), name, complain);
  size_t num_bytes = dtype_size(tensor.dtype);
  for (const json& extent : shape) {
    tensor.shape.push_back(parse_size(extent, name, complain));
    if (__builtin_mul_overflow(num_bytes, tensor.shape.back(), &num_bytes))
      complain("the shape of array '{}' is too large", name);
  }
  range = {parse_size(offsets[0], name, complain), parse_size(offsets[1], name, complain)};
  if (range.begin > range.end || range.end > data.size())
    complain("cut short, or wrong offsets: array '{}' is at bytes {} to {} of {}", name,
             range.begin, range.end, data.size());
  if (range.end - range.begin != num_bytes)
    complain("array '{}' has {} bytes, its shape asks for {}", name, range.end - range.begin,
             num_bytes);
  tensor.data = data.data() + range.begin;
  tensor.num_bytes = num_bytes;
  return tensor;
}

void check_coverage(std::vector<Range> ranges, size_t data_size, const Complaint& complain) {
  std::ranges::sort(ranges, {}, [](const Range& r) { return std::pair(r.begin, r.end); });
  size_t end = 0;
  for (const Range& range : ranges) {
    if (range.begin != end) complain("arrays overlap or leave a hole at byte {} of the data", end);
    end = range.end;
  }
  if (end != data_size) complain("arrays end at byte {} of the data, which has {}", end, data_size);
}

void parse_metadata(const json& entries, TensorMap& map, const Complaint& complain) {
  if (!entries.is_object()) complain("its metadata is malformed");
  for (const auto& [key, value] : entries.items()) {
    if (!value.is_string()) complain("metadata entry '{}' is not a text", key);
    map.metadata[key] = value.get<std::string>();
  }
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, const TensorMap& map, WrittenBy by) {
  const std::vector<Entry> order = file_order(map);
  const std::string head = file_head(map, order, path.string());
  AtomicFile file(path, by);
  file.write(head);
  for (Entry entry : order) file.write({entry->second.data, entry->second.num_bytes});
  file.commit();
}

std::vector<std::byte> format_safetensors(const TensorMap& map, const std::string& name) {
  const std::vector<Entry> order = file_order(map);
  const std::string head = file_head(map, order, name);
  size_t size = head.size();
  for (Entry entry : order) size += entry->second.num_bytes;
  std::vector<std::byte> out;
  out.reserve(size);
  const auto add = [&](std::span<const std::byte> bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
  };
  add(bytes_of(head));
  for (Entry entry : order) add({entry->second.data, entry->second.num_bytes});
  return out;
}

TensorMap parse_safetensors(std::span<const std::byte> bytes,
                            const std::shared_ptr<const void>& owner, const std::string& name,
                            ChecksumPolicy policy) {
  const Complaint complain{name};
  const std::string_view header = find_header(bytes, complain);
  const auto data = bytes.subspan(kLengthBytes + header.size());
  const json parsed = json::parse(header, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) complain("its header is not a JSON object");

  TensorMap map;
  std::vector<Range> ranges;
  for (const auto& [key, entry] : parsed.items()) {
    if (key == kMetadata) {
      parse_metadata(entry, map, complain);
      continue;
    }
    Tensor& tensor = map.tensors[key];
    tensor = parse_tensor(key, entry, data, ranges.emplace_back(), complain);
    tensor.owner = owner;
  }
  check_coverage(std::move(ranges), data.size(), complain);
  const auto checksum = map.metadata.find(kChecksum);
  if (checksum != map.metadata.end()) {
    verify_checksum(header, data, checksum->second, complain);
    map.metadata.erase(checksum);
  } else if (policy == ChecksumPolicy::kRequired) {
    complain("it has no '{}' entry, so muster did not write it", kChecksum);
  }
  return map;
}

TensorMap parse_safetensors(std::span<const std::byte> bytes, const std::string& name) {
  const auto copy = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
  return parse_safetensors(*copy, copy, name);
}

TensorMap read_safetensors(const std::filesystem::path& path, ChecksumPolicy policy) {
  const auto bytes = std::make_shared<const std::vector<std::byte>>(read_file(path));
  return parse_safetensors(*bytes, bytes, path.string(), policy);
}

TensorMap map_safetensors(const std::filesystem::path& path) {
  const std::shared_ptr<const MappedFile> file = MappedFile::open(path);
  return parse_safetensors(file->bytes(), file, path.string());
}

}  // namespace muster
