// What a program hands to muster: pictures and sets of vectors, as paths or as views of its own
// memory. Views are never copied as a whole; what they point to must live until the call returns.
// This header needs the standard library only: muster/muster.h is made of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace muster {

/// The pixels of a picture: red, green and blue, row by row from the top.
struct Pixels {
  int width = 0;                  ///< pixels per row
  int height = 0;                 ///< rows
  std::vector<std::uint8_t> rgb;  ///< 3 * width * height
};

struct EncodedPicture;

/// Decodes pictures elsewhere than in the calling thread, such as in a process that has no
/// privileges. Several threads may call it at once.
class PictureDecoder {
 public:
  virtual ~PictureDecoder() = default;
  /// What decode_picture() gives for the same picture without a decoder; throws a data error that
  /// begins with the picture's name if it cannot be decoded.
  virtual Pixels decode(const EncodedPicture& picture, int longest_side_px) const = 0;
};

/// The bytes of a picture file (JPEG, PNG, TIFF, WebP, BMP, PNM) that the caller holds in memory.
struct EncodedPicture {
  std::span<const std::byte> bytes;  ///< the whole file
  /// Stands for the picture in messages; without one its number does.
  std::string name = {};
  /// A picture of more pixels is refused before any is decoded; 0 for the most that muster takes,
  /// 100 million. For pictures of people whom you do not know.
  std::uint64_t max_pixels = 0;
  /// Decodes it; null for the calling thread. Must live until the call returns.
  const PictureDecoder* decoder = nullptr;
};

/// The bytes of a .npy file (n x d) that the caller holds in memory: a set of vectors.
struct EncodedSet {
  std::span<const std::byte> bytes;  ///< the whole file
  /// Stands for the set in messages; without one its number does.
  std::string name = {};
};

/// 8-bit pixels that the caller holds in memory, row by row from the top.
struct PixelView {
  const std::uint8_t* data = nullptr;  ///< the first pixel of the top row
  int width = 0;                       ///< pixels per row
  int height = 0;                      ///< rows
  /// 3 for interleaved red, green, blue; 1 for grey.
  int channels = 3;
  /// Bytes from one row to the next; 0 for rows without a gap.
  std::size_t stride = 0;
};

/// A set of vectors that the caller holds in memory: `rows` vectors of `dim` numbers, one per row.
struct SetView {
  const float* vectors = nullptr;  ///< the first number of the first vector
  std::size_t rows = 0;            ///< vectors
  std::size_t dim = 0;             ///< numbers per vector
  /// Numbers from one row to the next; 0 for rows without a gap.
  std::size_t stride = 0;
  /// Where each vector lies in its picture, in [0, 1]: x, y and, if there are three columns, scale.
  /// May be null.
  const float* places = nullptr;
  /// 2 or 3.
  std::size_t place_columns = 3;
  /// One number per vector, 0 to 1e6: a vector of weight w counts as w vectors. Null if all count
  /// alike. Methods that compare vectors with vectors (pmk, matching, densities) refuse weights.
  const float* weights = nullptr;
};

/// One picture or one set of vectors.
class Input {
 public:
  /// What it may be.
  using Value = std::variant<std::filesystem::path, EncodedPicture, EncodedSet, PixelView, SetView>;

  /// A picture file, or a file of vectors (.npy, .npz).
  Input(std::filesystem::path path) : value_(std::move(path)) {}
  /// As a path.
  Input(std::string path) : value_(std::filesystem::path(std::move(path))) {}
  /// As a path.
  Input(const char* path) : value_(std::filesystem::path(path)) {}
  /// A picture in memory, as a file would hold it.
  Input(EncodedPicture picture) : value_(std::move(picture)) {}
  /// A set of vectors in memory, as a file would hold it.
  Input(EncodedSet set) : value_(std::move(set)) {}
  /// A picture in memory, as pixels.
  Input(PixelView pixels) : value_(pixels) {}
  /// A set of vectors in memory.
  Input(SetView set) : value_(set) {}

  /// What it is.
  const Value& value() const { return value_; }

 private:
  Value value_;
};

/// Many of them: a view of a std::vector, std::span or array of paths, strings, encoded pictures
/// or sets, pixel views, set views or inputs. Owns nothing.
class Inputs {
 public:
  /// None.
  Inputs() = default;
  /// A view of the range; the range must outlive the view.
  template <std::ranges::contiguous_range Range>
  requires(std::is_constructible_v<Input, const std::ranges::range_value_t<Range>&> &&
           !std::is_same_v<std::ranges::range_value_t<Range>, char>) Inputs(const Range& range)
      : items_(std::span<const std::ranges::range_value_t<Range>>(range)) {}

  /// How many there are.
  std::size_t size() const {
    return std::visit([](const auto& items) { return items.size(); }, items_);
  }
  /// Whether there are none.
  bool empty() const { return size() == 0; }
  /// Number i.
  Input operator[](std::size_t i) const {
    return std::visit([i](const auto& items) { return Input(items[i]); }, items_);
  }
  /// `count` of them from number `begin` on.
  Inputs subspan(std::size_t begin, std::size_t count) const {
    return std::visit([=](const auto& items) { return Inputs(items.subspan(begin, count)); },
                      items_);
  }

 private:
  std::variant<std::span<const Input>, std::span<const SetView>, std::span<const PixelView>,
               std::span<const EncodedPicture>, std::span<const EncodedSet>,
               std::span<const std::string>, std::span<const std::filesystem::path>>
      items_;
};

}  // namespace muster
