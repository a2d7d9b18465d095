// Bounds-checked reading of numbers and texts in the bytes of a picture file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace muster {

// Anything beyond the end reads as 0.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  uint64_t size() const { return bytes_.size(); }
  uint64_t u8(uint64_t at) const {
    return at < bytes_.size() ? std::to_integer<uint64_t>(bytes_[at]) : 0;
  }
  uint64_t number(uint64_t at, int count, bool big_endian) const {
    uint64_t value = 0;
    for (int i = 0; i < count; ++i) value = value << 8 | u8(at + (big_endian ? i : count - 1 - i));
    return value;
  }
  uint64_t be(uint64_t at, int count) const { return number(at, count, true); }
  uint64_t le(uint64_t at, int count) const { return number(at, count, false); }
  ByteReader from(uint64_t at) const {
    return ByteReader(bytes_.subspan(std::min<uint64_t>(at, size())));
  }
  bool has(uint64_t at, std::string_view text) const {
    if (at > size() || size() - at < text.size()) return false;
    return std::ranges::equal(text, bytes_.subspan(at, text.size()),
                              [](char a, std::byte b) { return static_cast<std::byte>(a) == b; });
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace muster
