// Picture files for the tests of image/, made in memory.
#pragma once

#include <gtest/gtest.h>
#include <tiffio.h>
#include <webp/encode.h>

#include <array>
#include <cstring>
#include <string_view>

#include "muster/image/decode.h"

namespace muster {

using Bytes = std::vector<std::byte>;

inline Bytes text_bytes(std::string_view content) {
  Bytes bytes(content.size());
  std::memcpy(bytes.data(), content.data(), content.size());
  return bytes;
}

inline void append(Bytes& bytes, std::initializer_list<int> values) {
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
}

inline Bytes bytes_of(std::initializer_list<int> values) {
  Bytes out;
  append(out, values);
  return out;
}

inline void append(Bytes& bytes, const Bytes& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

inline void append_le(Bytes& bytes, uint64_t value, int count) {
  for (int i = 0; i < count; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
}

inline void append_be(Bytes& bytes, uint64_t value, int count) {
  for (int i = count; i-- > 0;) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
}

struct BmpParts {
  int width = 0, height = 0, bits = 24, compression = 0;
  Bytes masks_and_palette = {}, pixels = {};
};

inline Bytes make_bmp(const BmpParts& parts) {
  Bytes out = text_bytes("BM");
  const size_t pixels_at = 54 + parts.masks_and_palette.size();
  append_le(out, pixels_at + parts.pixels.size(), 4);
  append_le(out, 0, 4);
  append_le(out, pixels_at, 4);
  append_le(out, 40, 4);
  append_le(out, static_cast<uint32_t>(parts.width), 4);
  append_le(out, static_cast<uint32_t>(parts.height), 4);
  append_le(out, 1, 2);
  append_le(out, static_cast<uint64_t>(parts.bits), 2);
  append_le(out, static_cast<uint64_t>(parts.compression), 4);
  for (int i = 0; i < 5; ++i) append_le(out, 0, 4);
  append(out, parts.masks_and_palette);
  append(out, parts.pixels);
  return out;
}

inline Bytes encode_bmp(const Image& image) {
  BmpParts parts{image.width, image.height};
  for (int y = image.height; y-- > 0;) {
    for (int x = 0; x < image.width; ++x)
      for (int c = 3; c-- > 0;)
        append(parts.pixels, {image.rgb[3 * (static_cast<size_t>(y) * image.width + x) + c]});
    while (parts.pixels.size() % 4 != 0) append(parts.pixels, {0});
  }
  return make_bmp(parts);
}

inline Bytes encode_ppm(const Image& image) {
  Bytes out = text_bytes("P6\n" + std::to_string(image.width) + " " + std::to_string(image.height) +
                         "\n255\n");
  for (const uint8_t value : image.rgb) append(out, {value});
  return out;
}

inline Bytes encode_webp(const Image& image) {
  uint8_t* data = nullptr;
  const size_t size =
      WebPEncodeRGB(image.rgb.data(), image.width, image.height, 3 * image.width, 100, &data);
  Bytes out(size);
  std::memcpy(out.data(), data, size);
  WebPFree(data);
  return out;
}

// What a TIFF stores: rows of samples, as libtiff takes them.
struct TiffParts {
  int width = 0, height = 0, channels = 3, bits = 8, format = SAMPLEFORMAT_UINT;
  int compression = COMPRESSION_LZW, photometric = PHOTOMETRIC_RGB, tile_px = 0, extra = -1;
  Bytes samples = {};
};

namespace tiff_memory {
struct File {
  Bytes bytes;
  size_t at = 0;
};
inline File& file(thandle_t handle) { return *static_cast<File*>(handle); }
inline tmsize_t read(thandle_t handle, void* out, tmsize_t size) {
  const size_t left =
      file(handle).bytes.size() - std::min(file(handle).at, file(handle).bytes.size());
  const size_t count = std::min(left, static_cast<size_t>(size));
  std::memcpy(out, file(handle).bytes.data() + file(handle).at, count);
  file(handle).at += count;
  return static_cast<tmsize_t>(count);
}
inline tmsize_t write(thandle_t handle, void* data, tmsize_t size) {
  File& f = file(handle);
  f.bytes.resize(std::max(f.bytes.size(), f.at + static_cast<size_t>(size)));
  std::memcpy(f.bytes.data() + f.at, data, static_cast<size_t>(size));
  f.at += static_cast<size_t>(size);
  return size;
}
inline toff_t seek(thandle_t handle, toff_t offset, int whence) {
  File& f = file(handle);
  return f.at = offset + (whence == SEEK_CUR ? f.at : whence == SEEK_END ? f.bytes.size() : 0);
}
}  // namespace tiff_memory

inline Bytes make_tiff(const TiffParts& parts) {
  tiff_memory::File file;
  TIFF* tiff = TIFFClientOpen(
      "", "w", &file, tiff_memory::read, tiff_memory::write, tiff_memory::seek,
      [](thandle_t) { return 0; },
      [](thandle_t handle) -> toff_t { return tiff_memory::file(handle).bytes.size(); }, nullptr,
      nullptr);
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, parts.width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, parts.height);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, parts.channels);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, parts.bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, parts.format);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, parts.compression);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, parts.photometric);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  if (parts.extra >= 0) {
    const auto kind = static_cast<uint16_t>(parts.extra);
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &kind);
  }
  auto* samples = const_cast<std::byte*>(parts.samples.data());
  const auto size = static_cast<tmsize_t>(parts.samples.size());
  if (parts.tile_px > 0) {  // the samples are those of one tile
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, parts.tile_px);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, parts.tile_px);
    for (int t = 0; t < static_cast<int>(TIFFNumberOfTiles(tiff)); ++t)
      EXPECT_GE(TIFFWriteEncodedTile(tiff, t, Bytes(parts.samples).data(), size), 0);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, parts.height);
    EXPECT_GE(TIFFWriteEncodedStrip(tiff, 0, samples, size), 0);
  }
  TIFFClose(tiff);
  return file.bytes;
}

inline Bytes encode_tiff(const Image& image) {
  const auto samples = std::as_bytes(std::span(image.rgb));
  return make_tiff({.width = image.width,
                    .height = image.height,
                    .samples = Bytes(samples.begin(), samples.end())});
}

struct TestEncoder {
  const char* name;
  Bytes (*encode)(const Image& image);
};

inline constexpr TestEncoder kTestEncoders[] = {
    {"PNG", encode_png},   {"JPEG", [](const Image& image) { return encode_jpeg(image, 95); }},
    {"TIFF", encode_tiff}, {"BMP", encode_bmp},
    {"WebP", encode_webp}, {"PPM", encode_ppm}};

inline std::array<int, 3> pixel(const Image& image, int x, int y) {
  const uint8_t* p = &image.rgb[3 * (static_cast<size_t>(y) * image.width + x)];
  return {p[0], p[1], p[2]};
}

inline void expect_refused(const Bytes& bytes, const std::string& reason) {
  try {
    decode_image(bytes, "folder/picture.jpg");
    ADD_FAILURE() << "accepted; expected: " << reason;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    EXPECT_NE(std::string(error.what()).find("folder/picture.jpg"), std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
  }
}

}  // namespace muster
