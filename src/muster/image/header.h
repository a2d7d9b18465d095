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

// True when a JPEG or PNG lacks its end marker: decoders then fill the missing part with grey.
bool is_cut_short(std::span<const std::byte> bytes, PictureFormat format);

const char* format_name(PictureFormat format);

}  // namespace muster
