#include "muster/store/npz.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>

#include "muster/core/error.h"
#include "muster/store/atomic_file.h"
#include "muster/store/npy.h"

namespace muster {
namespace {

constexpr uint32_t kLocalSignature = 0x04034b50, kCentralSignature = 0x02014b50,
                   kEndSignature = 0x06054b50;
constexpr size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22;
constexpr uint16_t kStored = 0, kDeflated = 8;
constexpr uint32_t kMoved = 0xFFFFFFFF;    // the size is in a zip64 record instead
constexpr size_t kMaxDeflateRatio = 1032;  // more than this deflate cannot do
// A member that is larger than this unpacked must not be packed too well: numbers from a real
// source seldom shrink to a tenth, and a small file must not take gigabytes.
constexpr size_t kFreelyUnpacked = size_t{1} << 24, kTrustedRatio = 50;

// Bounds-checked little-endian reads.
class ZipReader {
 public:
  ZipReader(std::span<const std::byte> bytes, const std::string& name)
      : bytes_(bytes), name_(name) {}

  size_t size() const { return bytes_.size(); }
  std::span<const std::byte> slice(size_t at, size_t count) const {
    if (at > bytes_.size() || count > bytes_.size() - at) fail("cut short or damaged");
    return bytes_.subspan(at, count);
  }
  template <class T>
  T get(size_t at) const {
    T value;
    std::memcpy(&value, slice(at, sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string text(size_t at, size_t count) const {
    const auto part = slice(at, count);
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }
  [[noreturn]] void fail(std::string_view what) const {
    throw data_error("'{}' is not a NumPy archive (.npz) that can be read: {}", name_, what);
  }

 private:
  std::span<const std::byte> bytes_;
  const std::string& name_;
};

// The end record is last, but for a comment of at most 65535 bytes.
size_t find_end_record(const ZipReader& zip) {
  if (zip.size() < kEndBytes) zip.fail("too short for a zip archive");
  const size_t last = zip.size() - kEndBytes;
  for (size_t back = 0; back <= std::min<size_t>(last, 0xFFFF); ++back)
    if (zip.get<uint32_t>(last - back) == kEndSignature &&
        zip.get<uint16_t>(last - back + 20) == back)
      return last - back;
  zip.fail("its end is missing, so it was cut short or is not a zip archive");
}

// Reads one entry of the central directory and moves `at` past it.
NpzMember read_entry(const ZipReader& zip, size_t& at) {
  if (zip.get<uint32_t>(at) != kCentralSignature) zip.fail("its directory is damaged");
  const auto flags = zip.get<uint16_t>(at + 8), method = zip.get<uint16_t>(at + 10);
  const auto packed_bytes = zip.get<uint32_t>(at + 20), unpacked_bytes = zip.get<uint32_t>(at + 24);
  const size_t name_bytes = zip.get<uint16_t>(at + 28);
  const size_t extra_bytes = size_t{zip.get<uint16_t>(at + 30)} + zip.get<uint16_t>(at + 32);
  const auto local = zip.get<uint32_t>(at + 42);
  NpzMember member;
  member.crc = zip.get<uint32_t>(at + 16);
  member.name = zip.text(at + kCentralBytes, name_bytes);
  at += kCentralBytes + name_bytes + extra_bytes;

  if (flags & 1) zip.fail("it is encrypted");
  if (method != kStored && method != kDeflated)
    zip.fail("it is packed by a method other than deflate");
  if (packed_bytes == kMoved || unpacked_bytes == kMoved || local == kMoved)
    zip.fail("it is over 4 GB; save one .npy file per set instead");
  if (zip.get<uint32_t>(local) != kLocalSignature)
    zip.fail("a member is not where the directory says");
  const size_t data =
      size_t{local} + kLocalBytes + zip.get<uint16_t>(local + 26) + zip.get<uint16_t>(local + 28);
  member.packed = zip.slice(data, packed_bytes);
  member.deflated = method == kDeflated;
  member.unpacked_bytes = unpacked_bytes;
  if (member.deflated ? unpacked_bytes / kMaxDeflateRatio > packed_bytes
                      : unpacked_bytes != packed_bytes)
    zip.fail("the size of a member is impossible");
  if (unpacked_bytes > kFreelyUnpacked && unpacked_bytes / kTrustedRatio > packed_bytes)
    zip.fail(
        "a member grows more than fiftyfold when it is unpacked; save it by numpy.savez, "
        "uncompressed");
  return member;
}

bool inflate_into(std::span<const std::byte> packed, std::span<std::byte> out) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  return result == Z_STREAM_END && stream.avail_out == 0;
}

uint32_t crc_of(std::span<const std::byte> bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// Fields that local and central headers share, from "version needed" to the length of the name.
void put_common(std::string& out, uint32_t crc, uint32_t size, uint16_t name_bytes) {
  const auto put = [&](auto value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  put(uint16_t{20});     // version needed
  put(uint16_t{0x800});  // names are UTF-8
  put(kStored);
  put(uint16_t{0});     // time and date: always the same, so that equal arrays give equal bytes
  put(uint16_t{0x21});  // 1 January 1980
  put(crc);
  put(size);
  put(size);
  put(name_bytes);
  put(uint16_t{0});  // no extra field
}

}  // namespace

std::vector<NpzMember> parse_npz(std::span<const std::byte> archive, const std::string& name) {
  const ZipReader zip(archive, name);
  const size_t end = find_end_record(zip);
  const size_t count = zip.get<uint16_t>(end + 10);
  size_t at = zip.get<uint32_t>(end + 16);
  if (count == 0xFFFF || at == kMoved)
    zip.fail("it is over 4 GB; save one .npy file per set instead");
  std::vector<NpzMember> members;
  for (size_t i = 0; i < count; ++i) {
    NpzMember member = read_entry(zip, at);
    if (!member.name.ends_with(".npy")) continue;
    member.name.resize(member.name.size() - 4);
    members.push_back(std::move(member));
  }
  if (members.empty()) zip.fail("it holds no arrays");
  return members;
}

std::vector<std::byte> unpack(const NpzMember& member, const std::string& archive_name) {
  std::vector<std::byte> out(member.unpacked_bytes);
  bool intact = true;
  if (member.deflated)
    intact = inflate_into(member.packed, out);
  else
    std::ranges::copy(member.packed, out.begin());
  if (!intact || crc_of(out) != member.crc)
    throw data_error("'{}': member '{}' is damaged", archive_name, member.name);
  return out;
}

template <class T>
Matrix<T> npz_to_matrix(const NpzMember& member, const std::string& archive_name) {
  const std::string name = archive_name + ":" + member.name;
  const std::vector<std::byte> bytes = unpack(member, archive_name);
  return npy_to_matrix<T>(parse_npy(bytes, name), name);
}

template Matrix<float> npz_to_matrix<float>(const NpzMember&, const std::string&);
template Matrix<double> npz_to_matrix<double>(const NpzMember&, const std::string&);

void write_npz(const std::filesystem::path& path, const NpzArrays& arrays) {
  std::string directory;
  size_t offset = 0;
  const auto put = [](std::string& out, auto value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  AtomicFile file(path);
  for (const auto& [name, bytes] : arrays) {
    const std::string member = name + ".npy";
    if (offset + bytes.size() + directory.size() + (size_t{1} << 20) > kMoved)
      throw runtime_failure("cannot write '{}': over 4 GB; write .npy files instead",
                            path.string());
    const auto size = static_cast<uint32_t>(bytes.size());
    const auto name_bytes = static_cast<uint16_t>(member.size());
    const uint32_t crc = crc_of(bytes);
    put(directory, kCentralSignature);
    put(directory, uint16_t{20});  // version made by
    put_common(directory, crc, size, name_bytes);
    directory.append(10, '\0');  // no comment, first disk, no attributes
    put(directory, static_cast<uint32_t>(offset));
    directory += member;

    std::string local;
    put(local, kLocalSignature);
    put_common(local, crc, size, name_bytes);
    local += member;
    file.write(local);
    file.write(bytes);
    offset += local.size() + bytes.size();
  }
  const auto count = static_cast<uint16_t>(arrays.size());
  std::string end;
  put(end, kEndSignature);
  put(end, uint32_t{0});  // disk numbers
  put(end, count);
  put(end, count);
  put(end, static_cast<uint32_t>(directory.size()));
  put(end, static_cast<uint32_t>(offset));
  put(end, uint16_t{0});  // no comment
  file.write(directory);
  file.write(end);
  file.commit();
}

}  // namespace muster
