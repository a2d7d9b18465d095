// Windows and OS/2 bitmaps: 1, 4 and 8 bits with a palette (also as run lengths), 16, 24 and 32
// bits.
#include <array>
#include <bit>
#include <cstdlib>

#include "muster/image/formats.h"

namespace muster {
namespace {

enum Compression : uint64_t { kPlain = 0, kRuns8 = 1, kRuns4 = 2, kMasks = 3, kAlphaMasks = 6 };

// The bits of a pixel that hold one channel; it has 8 bits after that.
struct Mask {
  uint32_t bits = 0;

  uint8_t of(uint32_t pixel) const {
    if (bits == 0) return 0;
    const uint64_t value = (pixel & bits) >> std::countr_zero(bits);
    const int depth = 32 - std::countl_zero(bits) - std::countr_zero(bits);
    return static_cast<uint8_t>(depth >= 8 ? value >> (depth - 8) : value << (8 - depth));
  }
};

struct BmpHeader {
  uint64_t pixels_at = 0, palette_at = 0, palette_step = 4;
  uint64_t width = 0, height = 0, bits = 0, compression = kPlain;
  bool top_down = false;
  std::array<Mask, 4> masks;  // R, G, B, alpha

  uint64_t row_bytes() const { return (bits * width + 31) / 32 * 4; }
};

void read_masks(const ByteReader& in, uint64_t header_size, BmpHeader& header) {
  header.masks = header.bits == 16 ? std::array<Mask, 4>{{{0x7C00}, {0x3E0}, {0x1F}, {0}}}
                                   : std::array<Mask, 4>{{{0xFF0000}, {0xFF00}, {0xFF}, {0}}};
  if (header.compression != kMasks && header.compression != kAlphaMasks) return;
  const bool has_alpha = header_size >= 56 || header.compression == kAlphaMasks;
  for (size_t c = 0; c < (has_alpha ? 4 : 3); ++c)
    header.masks[c] = {static_cast<uint32_t>(in.le(54 + 4 * c, 4))};
  if (header_size == 40) header.palette_at += has_alpha ? 16 : 12;
}

BmpHeader read_header(const PictureBytes& picture) {
  const ByteReader in(picture.bytes);
  BmpHeader header;
  const uint64_t size = in.le(14, 4);
  header.pixels_at = in.le(10, 4);
  header.palette_at = 14 + size;
  if (size == 12) {  // OS/2
    header.palette_step = 3;
    header.width = in.le(18, 2);
    header.height = in.le(20, 2);
    header.bits = in.le(24, 2);
  } else if (size >= 40) {
    const auto width = static_cast<int32_t>(in.le(18, 4)),
               height = static_cast<int32_t>(in.le(22, 4));
    header.width = static_cast<uint64_t>(std::max(width, 0));
    header.height = static_cast<uint64_t>(std::llabs(height));
    header.top_down = height < 0;
    header.bits = in.le(28, 2);
    header.compression = in.le(30, 4);
  }
  check_size(picture, kBmpFormat, header.width, header.height);
  read_masks(in, size, header);
  return header;
}

bool is_supported(const BmpHeader& h) {
  switch (h.compression) {
    case kPlain:
      return h.bits == 1 || h.bits == 4 || h.bits == 8 || h.bits == 16 || h.bits == 24 ||
             h.bits == 32;
    case kRuns8:
      return h.bits == 8;
    case kRuns4:
      return h.bits == 4;
    case kMasks:
    case kAlphaMasks:
      return h.bits == 16 || h.bits == 32;
    default:
      return false;
  }
}

// Run lengths, as indices into the palette, in the order of the file. What no run covers is 0.
class RunReader {
 public:
  RunReader(const PictureBytes& picture, const BmpHeader& header)
      : picture_(picture), header_(header), in_(picture.bytes), at_(header.pixels_at) {
    // A move skips at most 255 rows and columns by four bytes.
    constexpr uint64_t kPixelsPerByte = 255 * 255 / 4;
    if (header.width * header.height / kPixelsPerByte > in_.size()) throw cut_short();
    indices_.resize(header.width * header.height);
  }

  std::vector<uint8_t> read() {
    while (y_ < header_.height) {
      if (at_ + 2 > in_.size()) throw cut_short();
      const uint64_t count = in_.u8(at_), value = in_.u8(at_ + 1);
      at_ += 2;
      if (count > 0) {
        for (uint64_t i = 0; i < count; ++i) put(header_.bits == 8 ? value : nibble(value, i));
      } else if (value == 0) {  // end of the row
        x_ = 0;
        ++y_;
      } else if (value == 1) {  // end of the picture
        break;
      } else if (value == 2) {  // move
        x_ += in_.u8(at_);
        y_ += in_.u8(at_ + 1);
        at_ += 2;
      } else {
        read_literals(value);
      }
    }
    return std::move(indices_);
  }

 private:
  Error cut_short() const {
    return data_error("{}: the BMP data are cut short; copy the file again", picture_.name);
  }

  static uint64_t nibble(uint64_t pair, uint64_t i) { return i % 2 == 0 ? pair >> 4 : pair & 15; }

  // They fill whole pairs of bytes.
  void read_literals(uint64_t count) {
    for (uint64_t i = 0; i < count; ++i)
      put(header_.bits == 8 ? in_.u8(at_ + i) : nibble(in_.u8(at_ + i / 2), i));
    const uint64_t bytes = header_.bits == 8 ? count : (count + 1) / 2;
    at_ += (bytes + 1) / 2 * 2;
  }

  // Encoders may pad a row; a run never continues on the next.
  void put(uint64_t index) {
    if (x_ < header_.width && y_ < header_.height)
      indices_[y_ * header_.width + x_] = static_cast<uint8_t>(index);
    ++x_;
  }

  const PictureBytes& picture_;
  const BmpHeader& header_;
  ByteReader in_;
  uint64_t at_, x_ = 0, y_ = 0;
  std::vector<uint8_t> indices_;
};

using Rgba = std::array<uint8_t, 4>;

// The pixels of a file by their place in it.
class PixelReader {
 public:
  PixelReader(const PictureBytes& picture, const BmpHeader& header)
      : in_(picture.bytes), header_(header) {
    if (header.compression == kRuns8 || header.compression == kRuns4)
      runs_ = RunReader(picture, header).read();
    else if (header.pixels_at + header.row_bytes() * header.height > in_.size())
      throw data_error("{}: the BMP data are cut short; copy the file again", picture.name);
  }

  Rgba at(uint64_t x, uint64_t y) const {
    if (header_.bits == 24) return from_bytes(header_.pixels_at + y * header_.row_bytes() + 3 * x);
    if (header_.bits <= 8)
      return from_bytes(header_.palette_at + header_.palette_step * index(x, y));
    const uint64_t bytes = header_.bits / 8;
    const auto pixel = static_cast<uint32_t>(
        in_.le(header_.pixels_at + y * header_.row_bytes() + bytes * x, static_cast<int>(bytes)));
    const auto& [r, g, b, alpha] = header_.masks;
    return {r.of(pixel), g.of(pixel), b.of(pixel),
            alpha.bits == 0 ? uint8_t{255} : alpha.of(pixel)};
  }

 private:
  // Stored as B, G, R.
  Rgba from_bytes(uint64_t at) const {
    return {static_cast<uint8_t>(in_.u8(at + 2)), static_cast<uint8_t>(in_.u8(at + 1)),
            static_cast<uint8_t>(in_.u8(at)), 255};
  }

  uint64_t index(uint64_t x, uint64_t y) const {
    if (!runs_.empty()) return runs_[y * header_.width + x];
    const uint64_t bit = x * header_.bits;
    const uint64_t byte = in_.u8(header_.pixels_at + y * header_.row_bytes() + bit / 8);
    return byte >> (8 - header_.bits - bit % 8) & ((1u << header_.bits) - 1);
  }

  ByteReader in_;
  const BmpHeader& header_;
  std::vector<uint8_t> runs_;
};

StoredPicture decode_bmp(const PictureBytes& picture) {
  const BmpHeader header = read_header(picture);
  if (!is_supported(header)) {
    throw damaged(picture, kBmpFormat,
                  fmt::format("compression {} with {} bits", header.compression, header.bits));
  }
  const PixelReader pixels(picture, header);
  Image image{static_cast<int>(header.width), static_cast<int>(header.height), {}};
  image.rgb.reserve(3 * header.width * header.height);
  for (uint64_t y = 0; y < header.height; ++y)
    for (uint64_t x = 0; x < header.width; ++x) {
      const Rgba pixel = pixels.at(x, header.top_down ? y : header.height - 1 - y);
      for (size_t c = 0; c < 3; ++c) image.rgb.push_back(on_white(pixel[c], pixel[3]));
    }
  const int width = image.width, height = image.height;
  return {std::move(image), width, height};
}

}  // namespace

const PictureFormat kBmpFormat = {"BMP", [](const ByteReader& in) { return in.has(0, "BM"); },
                                  decode_bmp};

}  // namespace muster
