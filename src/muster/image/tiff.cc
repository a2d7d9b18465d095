#include <tiffio.h>

#include <cmath>
#include <cstdarg>
#include <cstring>
#include <memory>

#include "muster/image/decode.h"
#include "muster/image/formats.h"

namespace muster {
namespace {

using namespace std::string_view_literals;

// Of a strip or tile: four bytes per pixel; and what libtiff takes for its tables.
uint64_t most_block_bytes(const PictureBytes& in) { return 4 * most_pixels(in) + 1'000'000; }

// The bytes as libtiff's file, and the first error that it reports.
struct TiffMemory {
  std::span<const std::byte> bytes;
  uint64_t at = 0;
  std::string error;
};

TiffMemory& memory_of(thandle_t handle) { return *static_cast<TiffMemory*>(handle); }

tmsize_t read_bytes(thandle_t handle, void* out, tmsize_t size) {
  TiffMemory& memory = memory_of(handle);
  const uint64_t left = memory.bytes.size() - std::min<uint64_t>(memory.at, memory.bytes.size());
  const uint64_t count = std::min(left, static_cast<uint64_t>(size));
  if (count > 0) std::memcpy(out, memory.bytes.data() + memory.at, count);
  memory.at += count;
  return static_cast<tmsize_t>(count);
}
tmsize_t write_nothing(thandle_t, void*, tmsize_t) { return 0; }
toff_t seek(thandle_t handle, toff_t offset, int whence) {
  TiffMemory& memory = memory_of(handle);
  if (whence == SEEK_SET) memory.at = offset;
  if (whence == SEEK_CUR) memory.at += offset;
  if (whence == SEEK_END) memory.at = memory.bytes.size() + offset;
  return memory.at;
}
int close_nothing(thandle_t) { return 0; }
toff_t size_of(thandle_t handle) { return memory_of(handle).bytes.size(); }
int map_bytes(thandle_t handle, void** base, toff_t* size) {
  const auto& bytes = memory_of(handle).bytes;
  *base = const_cast<std::byte*>(bytes.data());  // opened for reading, never written to
  *size = bytes.size();
  return 1;
}
void unmap_nothing(thandle_t, void*, toff_t) {}

int note_error(TIFF*, void* memory, const char*, const char* format, va_list arguments) {
  std::string& error = static_cast<TiffMemory*>(memory)->error;
  char text[256];
  std::vsnprintf(text, sizeof(text), format, arguments);
  if (error.empty()) error = text;
  return 1;
}
int ignore_warning(TIFF*, void*, const char*, const char*, va_list) { return 1; }

struct TiffDeleter {
  void operator()(TIFF* tiff) const { TIFFClose(tiff); }
  void operator()(TIFFOpenOptions* options) const { TIFFOpenOptionsFree(options); }
};
using TiffFile = std::unique_ptr<TIFF, TiffDeleter>;

TiffFile open_tiff(TiffMemory& memory, uint64_t most_bytes) {
  const std::unique_ptr<TIFFOpenOptions, TiffDeleter> options(TIFFOpenOptionsAlloc());
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), static_cast<tmsize_t>(most_bytes));
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), note_error, &memory);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), ignore_warning, nullptr);
  return TiffFile(TIFFClientOpenExt("", "r", &memory, read_bytes, write_nothing, seek,
                                    close_nothing, size_of, map_bytes, unmap_nothing,
                                    options.get()));
}

template <class Value>
Value tag(TIFF* tiff, uint32_t name) {
  Value value{};
  TIFFGetFieldDefaulted(tiff, name, &value);
  return value;
}

enum class Alpha { kPlain, kPremultiplied };

// What the fourth channel of libtiff's RGBA means: libtiff multiplies by alpha if the file has not,
// but takes a channel that the file does not explain as it is.
Alpha alpha_of(TIFF* tiff) {
  uint16_t count = 0;
  uint16_t* kinds = nullptr;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds);
  return count > 0 && kinds[0] != EXTRASAMPLE_UNSPECIFIED ? Alpha::kPremultiplied : Alpha::kPlain;
}

Image lay_premultiplied_on_white(std::span<const uint8_t> rgba, int width, int height) {
  Image image{width, height, std::vector<uint8_t>(rgba.size() / 4 * 3)};
  for (size_t p = 0; p < rgba.size() / 4; ++p)
    for (size_t c = 0; c < 3; ++c)
      image.rgb[3 * p + c] =
          static_cast<uint8_t>(std::min(255, rgba[4 * p + c] + 255 - rgba[4 * p + 3]));
  return image;
}

// Up to 16 bits of any colour space, by libtiff.
Image read_by_libtiff(TIFF* tiff, const PictureBytes& in, const TiffMemory& memory) {
  TIFFRGBAImage reader;
  char reason[1024] = "";
  if (!TIFFRGBAImageBegin(&reader, tiff, 1, reason)) throw damaged(in, kTiffFormat, reason);
  reader.req_orientation = reader.orientation;  // decode.cc turns pictures of all formats
  std::vector<uint32_t> raster;
  bool ok = false;
  try {
    raster.resize(size_t{reader.width} * reader.height);
    ok = TIFFRGBAImageGet(&reader, raster.data(), reader.width, reader.height) != 0;
  } catch (...) {
    TIFFRGBAImageEnd(&reader);
    throw;
  }
  const auto width = static_cast<int>(reader.width), height = static_cast<int>(reader.height);
  TIFFRGBAImageEnd(&reader);
  if (!ok) throw damaged(in, kTiffFormat, memory.error);
  // R, G, B, alpha from the lowest byte to the highest: in this order in memory.
  const std::span rgba(reinterpret_cast<const uint8_t*>(raster.data()), 4 * raster.size());
  return alpha_of(tiff) == Alpha::kPlain ? flatten_alpha(rgba, width, height)
                                         : lay_premultiplied_on_white(rgba, width, height);
}

// Floats, taken to be in [0, 1], and integers of 10, 12 or 14 bits, which libtiff does not convert.
class DeepReader {
 public:
  DeepReader(TIFF* tiff, const PictureBytes& in, const TiffMemory& memory)
      : tiff_(tiff),
        in_(in),
        memory_(memory),
        width_(tag<uint32_t>(tiff, TIFFTAG_IMAGEWIDTH)),
        height_(tag<uint32_t>(tiff, TIFFTAG_IMAGELENGTH)),
        bits_(tag<uint16_t>(tiff, TIFFTAG_BITSPERSAMPLE)),
        channels_(tag<uint16_t>(tiff, TIFFTAG_SAMPLESPERPIXEL)) {}

  // What TIFFRGBAImage refuses.
  static bool is_deep(TIFF* tiff) {
    const auto bits = tag<uint16_t>(tiff, TIFFTAG_BITSPERSAMPLE);
    const bool is_float = tag<uint16_t>(tiff, TIFFTAG_SAMPLEFORMAT) == SAMPLEFORMAT_IEEEFP;
    const auto photometric = tag<uint16_t>(tiff, TIFFTAG_PHOTOMETRIC);
    return (photometric == PHOTOMETRIC_RGB || photometric == PHOTOMETRIC_MINISBLACK) &&
           (is_float ? bits == 32 || bits == 64 : bits == 10 || bits == 12 || bits == 14);
  }

  Image read() {
    const bool is_planar = tag<uint16_t>(tiff_, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE;
    if ((channels_ != 1 && channels_ != 3 && channels_ != 4) || is_planar)
      throw damaged(in_, kTiffFormat, fmt::format("{} separate channels", channels_));
    rgba_.assign(size_t{4} * width_ * height_, 255);
    if (TIFFIsTiled(tiff_)) {
      uint32_t tile_width = 0, tile_height = 0;
      TIFFGetField(tiff_, TIFFTAG_TILEWIDTH, &tile_width);
      TIFFGetField(tiff_, TIFFTAG_TILELENGTH, &tile_height);
      read_blocks(tile_width, tile_height, TIFFTileSize64(tiff_), TIFFReadEncodedTile);
    } else {
      const uint32_t rows = std::min(tag<uint32_t>(tiff_, TIFFTAG_ROWSPERSTRIP), height_);
      read_blocks(width_, rows, TIFFStripSize64(tiff_), TIFFReadEncodedStrip);
    }
    return flatten_alpha(rgba_, static_cast<int>(width_), static_cast<int>(height_));
  }

 private:
  template <class Read>
  void read_blocks(uint32_t block_width, uint32_t block_height, uint64_t block_bytes, Read read) {
    if (block_width == 0 || block_height == 0 || block_bytes > most_block_bytes(in_))
      throw damaged(in_, kTiffFormat, "its strips or tiles have an impossible size");
    std::vector<uint8_t> block(block_bytes);
    uint32_t number = 0;
    for (uint32_t y = 0; y < height_; y += block_height)
      for (uint32_t x = 0; x < width_; x += block_width, ++number) {
        if (read(tiff_, number, block.data(), static_cast<tmsize_t>(block.size())) < 0)
          throw damaged(in_, kTiffFormat, memory_.error);
        for (uint32_t j = 0; j < std::min(block_height, height_ - y); ++j)
          copy_row(block, block_width, j, x, y + j);
        if (block_height > height_ - y && block_width >= width_ - x) return;
      }
  }

  void copy_row(const std::vector<uint8_t>& block, uint32_t block_width, uint32_t row, uint32_t x,
                uint32_t y) {
    const uint64_t row_bytes = (uint64_t{block_width} * channels_ * bits_ + 7) / 8;
    const uint8_t* in = block.data() + row * row_bytes;
    for (uint32_t i = 0; i < std::min(block_width, width_ - x); ++i) {
      uint8_t* out = &rgba_[4 * (size_t{y} * width_ + x + i)];
      for (uint32_t c = 0; c < channels_; ++c) out[c] = level(in, uint64_t{i} * channels_ + c);
      if (channels_ == 1) out[1] = out[2] = out[0];
    }
  }

  // The i-th value of a row, 0 .. 255. libtiff has brought whole bytes to the order of the machine.
  uint8_t level(const uint8_t* row, uint64_t i) const {
    double value = 0;
    if (bits_ == 32) {
      float single = 0;
      std::memcpy(&single, row + 4 * i, 4);
      value = single;
    } else if (bits_ == 64) {
      std::memcpy(&value, row + 8 * i, 8);
    } else {
      unsigned whole = 0;
      for (uint64_t bit = i * bits_; bit < (i + 1) * bits_; ++bit)
        whole = whole << 1 | (row[bit / 8] >> (7 - bit % 8) & 1u);
      return static_cast<uint8_t>(whole >> (bits_ - 8));
    }
    if (std::isnan(value)) return 0;
    return static_cast<uint8_t>(std::nearbyint(255 * std::clamp(value, 0.0, 1.0)));
  }

  TIFF* tiff_;
  const PictureBytes& in_;
  const TiffMemory& memory_;
  uint32_t width_, height_;
  uint16_t bits_, channels_;
  std::vector<uint8_t> rgba_;
};

// Bytes that a compression makes of one at most; 0 for those without a bound worth knowing.
uint64_t most_inflation(uint16_t compression) {
  switch (compression) {
    case COMPRESSION_NONE:
      return 1;
    case COMPRESSION_PACKBITS:
      return 64;
    case COMPRESSION_LZW:
      return 2731;  // 4096 bytes by a code of 12 bits
    case COMPRESSION_ADOBE_DEFLATE:
    case COMPRESSION_DEFLATE:
      return 1032;
    default:
      return 0;
  }
}

StoredPicture decode_tiff(const PictureBytes& in) {
  TiffMemory memory{in.bytes, 0, {}};
  const TiffFile tiff = open_tiff(memory, most_block_bytes(in));
  if (!tiff) throw damaged(in, kTiffFormat, memory.error);
  const auto width = tag<uint32_t>(tiff.get(), TIFFTAG_IMAGEWIDTH),
             height = tag<uint32_t>(tiff.get(), TIFFTAG_IMAGELENGTH);
  check_size(in, kTiffFormat, width, height);
  // One channel at least has the full size.
  const uint64_t needed = uint64_t{width} * height *
                          tag<uint16_t>(tiff.get(), TIFFTAG_BITSPERSAMPLE) / 8,
                 inflation = most_inflation(tag<uint16_t>(tiff.get(), TIFFTAG_COMPRESSION));
  if (inflation != 0 && needed / inflation > in.bytes.size())
    throw damaged(in, kTiffFormat, "too few bytes for its size: cut short");
  const auto orientation = tag<uint16_t>(tiff.get(), TIFFTAG_ORIENTATION);
  Image image = DeepReader::is_deep(tiff.get()) ? DeepReader(tiff.get(), in, memory).read()
                                                : read_by_libtiff(tiff.get(), in, memory);
  return {std::move(image), static_cast<int>(width), static_cast<int>(height), orientation};
}

}  // namespace

const PictureFormat kTiffFormat = {"TIFF",
                                   [](const ByteReader& in) {
                                     return in.has(0, "II*\0"sv) || in.has(0, "MM\0*"sv) ||
                                            in.has(0, "II+\0"sv) || in.has(0, "MM\0+"sv);
                                   },
                                   decode_tiff};

}  // namespace muster
