// What the first bytes of a picture file say, read without decoding it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace muster {

enum class PictureFormat { kJpeg, kPng, kTiff, kBmp, kWebp, kPnm };

struct PictureHeader {
  PictureFormat format;
  long long width = 0;
  long long height = 0;
};

// Nothing when the bytes begin like none of the formats; width and height 0 where the header is cut
// short or malformed. Reads only within `bytes`.
std::optional<PictureHeader> read_header(std::span<const std::byte> bytes);

// EXIF orientation 1 .. 8 of a JPEG (APP1), PNG (eXIf) or WebP (EXIF); 1 (upright) where it says
// nothing, and for TIFF, whose decoder already applies it.
int exif_orientation(std::span<const std::byte> bytes, PictureFormat format);

// True when a JPEG or PNG lacks its end marker, or an uncompressed BMP or PNM has too few bytes.
bool is_cut_short(std::span<const std::byte> bytes, PictureFormat format);

const char* format_name(PictureFormat format);

}  // namespace muster
