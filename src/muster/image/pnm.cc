// PBM, PGM and PPM, as text (P1 to P3) or binary (P4 to P6).
#include "muster/image/formats.h"

namespace muster {
namespace {

bool is_space(uint64_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(uint64_t c) { return c >= '0' && c <= '9'; }

class PnmReader {
 public:
  explicit PnmReader(const PictureBytes& in) : in_(in), bytes_(in.bytes) {
    const uint64_t kind = bytes_.u8(1) - '0';
    is_text_ = kind <= 3;
    is_bitmap_ = kind == 1 || kind == 4;
    channels_ = kind == 3 || kind == 6 ? 3 : 1;
  }

  StoredPicture read() {
    const uint64_t width = number(), height = number();
    check_size(in_, kPnmFormat, width, height);
    if (!is_bitmap_) {
      largest_ = number();
      if (largest_ == 0 || largest_ > 65535)
        throw damaged(in_, kPnmFormat, "its largest value is not in 1 .. 65535");
    }
    ++at_;  // one white space before the pixels
    const uint64_t row_values = channels_ * width;
    const uint64_t row_bytes = is_text_         ? row_values
                               : is_bitmap_     ? (width + 7) / 8
                               : largest_ > 255 ? 2 * row_values
                                                : row_values;
    if (at_ > bytes_.size() || row_bytes * height > bytes_.size() - at_)
      throw data_error("{}: the PNM data are cut short; copy the file again", in_.name);
    Image image{static_cast<int>(width), static_cast<int>(height), {}};
    image.rgb.reserve(3 * width * height);
    for (uint64_t y = 0; y < height; ++y)
      for (uint64_t i = 0; i < row_values; ++i)
        image.rgb.insert(image.rgb.end(), 3 / channels_, level(y, i, row_bytes));
    return {std::move(image), static_cast<int>(width), static_cast<int>(height)};
  }

 private:
  // White space, and comments from # to the end of the line.
  void skip_space() {
    while (at_ < bytes_.size() && (bytes_.u8(at_) == '#' || is_space(bytes_.u8(at_)))) {
      if (bytes_.u8(at_) == '#')
        while (at_ < bytes_.size() && bytes_.u8(at_) != '\n') ++at_;
      ++at_;
    }
  }

  uint64_t number() {
    constexpr uint64_t kMost = 1'000'000'000;
    skip_space();
    if (!is_digit(bytes_.u8(at_))) {
      throw data_error("{}: the PNM header or text is damaged or cut short; copy the file again",
                       in_.name);
    }
    uint64_t value = 0;
    for (; is_digit(bytes_.u8(at_)); ++at_)
      value = std::min(kMost, 10 * value + bytes_.u8(at_) - '0');
    return value;
  }

  // The i-th value of row y, 0 .. 255.
  uint8_t level(uint64_t y, uint64_t i, uint64_t row_bytes) {
    uint64_t value = 0;
    if (is_text_ && is_bitmap_) {  // digits need no space between them
      skip_space();
      value = bytes_.u8(at_++) - '0';
      if (value > 1) throw damaged(in_, kPnmFormat, "a pixel of the bitmap is neither 0 nor 1");
    } else if (is_text_) {
      value = number();
    } else if (is_bitmap_) {
      value = bytes_.u8(at_ + y * row_bytes + i / 8) >> (7 - i % 8) & 1;
    } else if (largest_ > 255) {
      value = bytes_.be(at_ + y * row_bytes + 2 * i, 2);
    } else {
      value = bytes_.u8(at_ + y * row_bytes + i);
    }
    if (is_bitmap_) value = 1 - value;  // 1 is black
    return static_cast<uint8_t>((510 * std::min(value, largest_) + largest_) / (2 * largest_));
  }

  const PictureBytes& in_;
  ByteReader bytes_;
  bool is_text_ = false, is_bitmap_ = false;
  uint64_t channels_ = 1, largest_ = 1;
  uint64_t at_ = 2;  // in text: the next character; else where the pixels begin
};

}  // namespace

const PictureFormat kPnmFormat = {"PNM",
                                  [](const ByteReader& in) {
                                    return in.u8(0) == 'P' && in.u8(1) >= '1' && in.u8(1) <= '6' &&
                                           in.size() > 2 && (is_space(in.u8(2)) || in.u8(2) == '#');
                                  },
                                  [](const PictureBytes& in) { return PnmReader(in).read(); }};

}  // namespace muster
