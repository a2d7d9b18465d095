#include "muster/image/decode.h"

#include <algorithm>
#include <cmath>

#include "muster/image/formats.h"
#include "muster/image/resize.h"
#include "muster/store/read_file.h"

namespace muster {
namespace {

// More than kMaxPixels of four 16-bit channels need.
constexpr uint64_t kMaxBytes = 1'000'000'000;

void check_file_size(uint64_t size, const std::string& name) {
  if (size == 0) throw data_error("{}: the file is empty; leave it out or copy it again", name);
  if (size > kMaxBytes)
    throw data_error("{}: {} bytes are too many for a picture; shrink it", name, size);
}

// Undoes what EXIF orientation 1 .. 8 says about how the picture was stored: rows and columns are
// exchanged from 5 on, then it is mirrored.
Image upright(Image image, int orientation) {
  if (orientation < 2 || orientation > 8) return image;
  const bool transposed = orientation >= 5;
  const bool mirror_x =
      orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
  const bool mirror_y =
      orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
  Image out{transposed ? image.height : image.width, transposed ? image.width : image.height,
            std::vector<uint8_t>(image.rgb.size())};
  uint8_t* pixel = out.rgb.data();
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x, pixel += 3) {
      const int u = mirror_x ? out.width - 1 - x : x, v = mirror_y ? out.height - 1 - y : y;
      const size_t column = static_cast<size_t>(transposed ? v : u),
                   row = static_cast<size_t>(transposed ? u : v);
      std::copy_n(&image.rgb[3 * (row * image.width + column)], 3, pixel);
    }
  return out;
}

struct Size {
  int width, height;
};

// Of a picture once its longest side has at most so many pixels; 0 keeps the size.
Size shrunk(Size size, int longest_side_px) {
  const int longest = std::max(size.width, size.height);
  if (longest_side_px == 0 || longest <= longest_side_px) return size;
  const double factor = static_cast<double>(longest_side_px) / longest;
  const auto side = [&](int length) {
    return std::max(1, static_cast<int>(std::lround(length * factor)));
  };
  return {side(size.width), side(size.height)};
}

}  // namespace

Image decode_image(std::span<const std::byte> bytes, const std::string& name,
                   const DecodeOptions& options) {
  OptionsOf<DecodeOptions>(options).validate("image");
  check_file_size(bytes.size(), name);
  const PictureFormat* format = find_format(bytes);
  if (format == nullptr) {
    throw data_error(
        "{}: not a picture (looked for JPEG, PNG, TIFF, BMP, WebP and PNM by content); leave it "
        "out",
        name);
  }
  StoredPicture stored = format->decode(
      {bytes, name, options.longest_side_px, std::min(options.max_pixels, kMaxPixels)});
  const auto [width, height] = shrunk({stored.width, stored.height}, options.longest_side_px);
  // A decoder that shrinks fills up the last column and row beyond the picture's edge.
  const double decoded_share = 1.0 / stored.shrinkage;
  return upright(shrink_part(std::move(stored.pixels), stored.width * decoded_share,
                             stored.height * decoded_share, width, height),
                 stored.orientation);
}

Image shrink(Image image, int longest_side_px) {
  const auto [width, height] = shrunk({image.width, image.height}, longest_side_px);
  return shrink_to(std::move(image), width, height);
}

Image read_image(const std::filesystem::path& path, const DecodeOptions& options) {
  return decode_image(read_file(path, kMaxBytes), path.string(), options);
}

}  // namespace muster
