// JPEG and PNG through their own libraries: OpenCV leaves these two on default error handlers,
// which print on stderr and hide from the caller what was wrong.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "muster/image/image.h"

namespace muster {

// Both ignore EXIF orientation; they throw a data error that names `name`. Thread-safe.
Image decode_jpeg(std::span<const std::byte> bytes, const std::string& name);
Image decode_png(std::span<const std::byte> bytes, const std::string& name);

// Interleaved R, G, B, alpha (not premultiplied) laid on white.
Image flatten_alpha(std::span<const uint8_t> rgba, int width, int height);

}  // namespace muster
