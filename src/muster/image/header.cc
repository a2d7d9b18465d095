#include "muster/image/header.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace muster {
namespace {

// Bounds-checked reads; anything beyond the end reads as 0.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  size_t size() const { return bytes_.size(); }
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
  Reader from(uint64_t at) const { return Reader(bytes_.subspan(std::min<uint64_t>(at, size()))); }
  bool has(uint64_t at, std::string_view text) const {
    if (at > size() || size() - at < text.size()) return false;
    return std::ranges::equal(text, bytes_.subspan(at, text.size()),
                              [](char a, std::byte b) { return static_cast<std::byte>(a) == b; });
  }

 private:
  std::span<const std::byte> bytes_;
};

using namespace std::string_view_literals;

struct JpegSegment {
  uint64_t marker = 0;  // 0 at the end of the bytes
  uint64_t payload = 0;
  uint64_t next = 0;
};

JpegSegment next_segment(const Reader& in, uint64_t at) {
  if (at >= in.size() || in.u8(at) != 0xFF) return {};
  while (at < in.size() && in.u8(at) == 0xFF) ++at;  // fill bytes
  const uint64_t length = in.be(at + 1, 2);
  if (at + 3 > in.size() || length < 2) return {};
  return {in.u8(at), at + 3, at + 1 + length};
}

PictureHeader jpeg_header(const Reader& in) {
  PictureHeader header{PictureFormat::kJpeg};
  for (JpegSegment s = next_segment(in, 2); s.marker != 0; s = next_segment(in, s.next)) {
    const bool is_frame = s.marker >= 0xC0 && s.marker <= 0xCF && s.marker != 0xC4 &&
                          s.marker != 0xC8 && s.marker != 0xCC;
    if (!is_frame) continue;
    header.height = static_cast<long long>(in.be(s.payload + 1, 2));
    header.width = static_cast<long long>(in.be(s.payload + 3, 2));
    break;
  }
  return header;
}

struct TiffTags {
  uint64_t width = 0, height = 0, orientation = 1;
};

// Of the first directory; EXIF data are laid out as a TIFF file, too.
TiffTags tiff_tags(const Reader& in) {
  TiffTags tags;
  const bool big_endian = in.has(0, "MM");
  const bool is_big = in.number(2, 2, big_endian) == 43;  // BigTIFF: 8-byte offsets
  const uint64_t directory = in.number(is_big ? 8 : 4, is_big ? 8 : 4, big_endian);
  if (directory >= in.size()) return tags;
  const int count_size = is_big ? 8 : 2, entry_size = is_big ? 20 : 12;
  const uint64_t entries = std::min<uint64_t>(in.number(directory, count_size, big_endian), 4096);
  for (uint64_t i = 0; i < entries; ++i) {
    const uint64_t entry = directory + count_size + i * entry_size;
    const uint64_t tag = in.number(entry, 2, big_endian),
                   type = in.number(entry + 2, 2, big_endian);
    const uint64_t value = in.number(entry + (is_big ? 12 : 8), type == 3 ? 2 : 4, big_endian);
    if (tag == 256) tags.width = value;
    if (tag == 257) tags.height = value;
    if (tag == 274) tags.orientation = value;
  }
  return tags;
}

PictureHeader bmp_header(const Reader& in) {
  PictureHeader header{PictureFormat::kBmp};
  if (in.le(14, 4) == 12) {  // OS/2: 16-bit sides
    header.width = static_cast<long long>(in.le(18, 2));
    header.height = static_cast<long long>(in.le(20, 2));
  } else {  // a negative height means rows from top to bottom
    header.width = std::llabs(static_cast<int32_t>(in.le(18, 4)));
    header.height = std::llabs(static_cast<int32_t>(in.le(22, 4)));
  }
  return header;
}

PictureHeader webp_header(const Reader& in) {
  PictureHeader header{PictureFormat::kWebp};
  if (in.has(12, "VP8X")) {
    header.width = static_cast<long long>(in.le(24, 3)) + 1;
    header.height = static_cast<long long>(in.le(27, 3)) + 1;
  } else if (in.has(12, "VP8L")) {
    const uint64_t bits = in.le(21, 4);
    header.width = static_cast<long long>(bits & 0x3FFF) + 1;
    header.height = static_cast<long long>(bits >> 14 & 0x3FFF) + 1;
  } else {
    header.width = static_cast<long long>(in.le(26, 2) & 0x3FFF);
    header.height = static_cast<long long>(in.le(28, 2) & 0x3FFF);
  }
  return header;
}

bool bmp_is_cut(const Reader& in) {
  const bool is_os2 = in.le(14, 4) == 12;
  if (!is_os2 && in.le(30, 4) == 1) return false;  // run lengths: only decoding tells
  const PictureHeader header = bmp_header(in);
  const uint64_t bits = in.le(is_os2 ? 24 : 28, 2);
  const uint64_t row = (bits * static_cast<uint64_t>(header.width) + 31) / 32 * 4;
  return in.le(10, 4) + row * static_cast<uint64_t>(header.height) > in.size();
}

struct PnmHeader {
  long long width = 0, height = 0, largest = 1;
  uint64_t data = 0;  // where the pixels begin
};

// Numbers as text, with comments from # to the end of the line.
PnmHeader pnm_numbers(const Reader& in) {
  PnmHeader header;
  uint64_t at = 2;
  const auto next_number = [&]() -> long long {
    while (at < in.size() && (in.u8(at) == '#' || in.u8(at) <= ' ')) {
      if (in.u8(at) == '#')
        while (at < in.size() && in.u8(at) != '\n') ++at;
      ++at;
    }
    long long value = 0;
    for (; in.u8(at) >= '0' && in.u8(at) <= '9' && value <= 1'000'000'000; ++at)
      value = 10 * value + static_cast<long long>(in.u8(at) - '0');
    return value;
  };
  header.width = next_number();
  header.height = next_number();
  const bool is_bitmap = in.u8(1) == '1' || in.u8(1) == '4';
  if (!is_bitmap) header.largest = next_number();
  header.data = at + 1;
  return header;
}

PictureHeader pnm_header(const Reader& in) {
  const PnmHeader header = pnm_numbers(in);
  return {PictureFormat::kPnm, header.width, header.height};
}

bool pnm_is_cut(const Reader& in) {
  const PnmHeader header = pnm_numbers(in);
  const auto width = static_cast<uint64_t>(header.width),
             height = static_cast<uint64_t>(header.height);
  const uint64_t bytes = header.largest > 255 ? 2 : 1;
  switch (in.u8(1)) {
    case '4':
      return header.data + (width + 7) / 8 * height > in.size();
    case '5':
      return header.data + width * height * bytes > in.size();
    case '6':
      return header.data + 3 * width * height * bytes > in.size();
    default:
      return header.data + width * height > in.size();  // text: a digit a pixel at least
  }
}

}  // namespace

std::optional<PictureHeader> read_header(std::span<const std::byte> bytes) {
  const Reader in(bytes);
  if (in.has(0, "\xFF\xD8\xFF"sv)) return jpeg_header(in);
  if (in.has(0, "\x89PNG\r\n\x1A\n"sv)) {
    return PictureHeader{PictureFormat::kPng, static_cast<long long>(in.be(16, 4)),
                         static_cast<long long>(in.be(20, 4))};
  }
  if (in.has(0, "II*\0"sv) || in.has(0, "MM\0*"sv) || in.has(0, "II+\0"sv) ||
      in.has(0, "MM\0+"sv)) {
    const TiffTags tags = tiff_tags(in);
    return PictureHeader{PictureFormat::kTiff, static_cast<long long>(tags.width),
                         static_cast<long long>(tags.height)};
  }
  if (in.has(0, "BM")) return bmp_header(in);
  if (in.has(0, "RIFF") && in.has(8, "WEBPVP8")) return webp_header(in);
  if (in.u8(0) == 'P' && in.u8(1) >= '1' && in.u8(1) <= '6' && in.u8(2) <= ' ' && in.size() > 2)
    return pnm_header(in);
  return {};
}

int exif_orientation(std::span<const std::byte> bytes, PictureFormat format) {
  const Reader in(bytes);
  uint64_t exif = in.size();  // where its TIFF layout begins
  if (format == PictureFormat::kJpeg) {
    JpegSegment s = next_segment(in, 2);
    while (s.marker != 0 && s.marker != 0xDA &&
           !(s.marker == 0xE1 && in.has(s.payload, "Exif\0\0"sv)))
      s = next_segment(in, s.next);
    if (s.marker == 0xE1) exif = s.payload + 6;
  }
  if (format == PictureFormat::kPng) {
    uint64_t at = 8;
    while (at + 12 <= in.size() && !in.has(at + 4, "eXIf")) at += 12 + in.be(at, 4);
    if (at + 12 <= in.size()) exif = at + 8;
  }
  if (format == PictureFormat::kWebp) {
    uint64_t at = 12;
    while (at + 8 <= in.size() && !in.has(at, "EXIF")) at += 8 + (in.le(at + 4, 4) + 1) / 2 * 2;
    if (at + 8 <= in.size()) exif = at + 8;
    if (in.has(exif, "Exif\0\0"sv)) exif += 6;
  }
  const uint64_t orientation = tiff_tags(in.from(exif)).orientation;
  return orientation >= 1 && orientation <= 8 ? static_cast<int>(orientation) : 1;
}

bool is_cut_short(std::span<const std::byte> bytes, PictureFormat format) {
  const Reader in(bytes);
  if (format == PictureFormat::kPng) {
    uint64_t at = 8;
    while (at + 12 <= in.size() && !in.has(at + 4, "IEND")) at += 12 + in.be(at, 4);
    return at + 12 > in.size();
  }
  if (format == PictureFormat::kBmp) return bmp_is_cut(in);
  if (format == PictureFormat::kPnm) return pnm_is_cut(in);
  if (format != PictureFormat::kJpeg) return false;
  JpegSegment s = next_segment(in, 2);
  while (s.marker != 0 && s.marker != 0xDA) s = next_segment(in, s.next);
  // In the coded data every FF is followed by a 00 or a restart marker: FF D9 can only be the end.
  for (uint64_t at = s.next; at + 1 < in.size(); ++at)
    if (in.u8(at) == 0xFF && in.u8(at + 1) == 0xD9) return s.marker == 0;
  return true;
}

const char* format_name(PictureFormat format) {
  constexpr const char* kNames[] = {"JPEG", "PNG", "TIFF", "BMP", "WebP", "PNM"};
  return kNames[static_cast<int>(format)];
}

}  // namespace muster
