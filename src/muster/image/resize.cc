#include "muster/image/resize.h"

#include <cmath>
#include <limits>
#include <utility>

namespace muster {
namespace {

// Weight of a pixel of the source for a pixel of the result.
struct Part {
  int from;
  float weight;
};

// The parts of every pixel along one side, pixel after pixel.
struct Side {
  std::vector<Part> parts;
  std::vector<size_t> begin;  // of each pixel's parts; one more at the end
};

// Slivers below a thousandth of a pixel are left out.
Side make_side(double length, int wanted, double scale) {
  constexpr double kSliver = 1e-3;
  Side side;
  for (int i = 0; i < wanted; ++i) {
    side.begin.push_back(side.parts.size());
    const double first = i * scale, last = first + scale;
    const double covered = std::min(scale, length - first);
    const int whole_end =
        std::min(static_cast<int>(std::floor(last)), static_cast<int>(std::ceil(length)) - 1);
    const int whole_begin = std::min(static_cast<int>(std::ceil(first)), whole_end);
    if (whole_begin - first > kSliver)
      side.parts.push_back({whole_begin - 1, static_cast<float>((whole_begin - first) / covered)});
    for (int s = whole_begin; s < whole_end; ++s)
      side.parts.push_back({s, static_cast<float>(1.0 / covered)});
    if (last - whole_end > kSliver) {
      const double part = std::min(std::min(last - whole_end, 1.0), covered);
      side.parts.push_back({whole_end, static_cast<float>(part / covered)});
    }
  }
  side.begin.push_back(side.parts.size());
  return side;
}

uint8_t rounded(float value) {
  return static_cast<uint8_t>(std::clamp(std::nearbyint(value), 0.0f, 255.0f));
}

// Both sides divide exactly: sums of integers.
void average_blocks(const Image& in, int block_width, int block_height, Image& out) {
  const float share = 1.0f / static_cast<float>(block_width * block_height);
  const bool halved = block_width == 2 && block_height == 2;
  const size_t stride = size_t{3} * in.width;
  uint8_t* pixel = out.rgb.data();
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x, pixel += 3) {
      int sum[3] = {};
      const uint8_t* block =
          in.rgb.data() + stride * y * block_height + size_t{3} * x * block_width;
      for (int j = 0; j < block_height; ++j, block += stride)
        for (int i = 0; i < 3 * block_width; i += 3)
          for (int c = 0; c < 3; ++c) sum[c] += block[i + c];
      for (int c = 0; c < 3; ++c)
        pixel[c] = halved ? static_cast<uint8_t>((sum[c] + 2) / 4)
                          : rounded(static_cast<float>(sum[c]) * share);
    }
}

// One row of the source, averaged along x.
void average_row(const uint8_t* in, const Side& side, std::vector<float>& out) {
  for (size_t x = 0; x + 1 < side.begin.size(); ++x) {
    float sum[3] = {};
    for (size_t p = side.begin[x]; p < side.begin[x + 1]; ++p) {
      const uint8_t* pixel = in + size_t{3} * side.parts[p].from;
      for (size_t c = 0; c < 3; ++c) sum[c] += static_cast<float>(pixel[c]) * side.parts[p].weight;
    }
    std::copy_n(sum, 3, out.begin() + static_cast<ptrdiff_t>(3 * x));
  }
}

void average_areas(const Image& in, const Side& xs, const Side& ys, Image& out) {
  std::vector<float> row(size_t{3} * out.width), sum(row.size());
  int in_row = -1;  // which row of the source `row` holds: the last one of a pixel is often the
                    // next one's first
  for (int y = 0; y < out.height; ++y) {
    std::ranges::fill(sum, 0.0f);
    for (size_t p = ys.begin[y]; p < ys.begin[y + 1]; ++p) {
      if (const int from = ys.parts[p].from; from != std::exchange(in_row, from))
        average_row(in.rgb.data() + size_t{3} * in.width * from, xs, row);
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += ys.parts[p].weight * row[i];
    }
    std::ranges::transform(sum, out.rgb.begin() + static_cast<ptrdiff_t>(sum.size()) * y, rounded);
  }
}

}  // namespace

Image shrink_part(Image image, double part_width, double part_height, int width, int height) {
  MUSTER_CHECK(part_width <= image.width && part_height <= image.height);
  MUSTER_CHECK(width >= 1 && width <= part_width && height >= 1 && height <= part_height);
  if (width == image.width && height == image.height) return image;
  Image out{width, height, std::vector<uint8_t>(size_t{3} * width * height)};
  const double x_scale = 1.0 / (width / part_width), y_scale = 1.0 / (height / part_height);
  const auto is_whole = [](double scale) {
    return std::abs(scale - std::nearbyint(scale)) < std::numeric_limits<double>::epsilon();
  };
  if (is_whole(x_scale) && is_whole(y_scale))
    average_blocks(image, static_cast<int>(std::lround(x_scale)),
                   static_cast<int>(std::lround(y_scale)), out);
  else
    average_areas(image, make_side(part_width, width, x_scale),
                  make_side(part_height, height, y_scale), out);
  return out;
}

Image shrink_to(Image image, int width, int height) {
  const int part_width = image.width, part_height = image.height;
  return shrink_part(std::move(image), part_width, part_height, width, height);
}

Image enlarge_to(const Image& image, int width, int height) {
  MUSTER_CHECK(image.width >= 1 && width >= image.width && height >= image.height);
  struct Between {
    size_t low, high;
    float share;  // of `high`
  };
  const auto neighbours = [](int i, int wanted, int length) {
    const float place =
        (static_cast<float>(i) + 0.5f) * static_cast<float>(length) / static_cast<float>(wanted) -
        0.5f;
    const float low = std::clamp(std::floor(place), 0.0f, static_cast<float>(length - 1));
    return Between{static_cast<size_t>(low),
                   static_cast<size_t>(std::min(static_cast<int>(low) + 1, length - 1)),
                   std::clamp(place - low, 0.0f, 1.0f)};
  };
  Image out{width, height, std::vector<uint8_t>(size_t{3} * width * height)};
  const size_t stride = size_t{3} * image.width;
  uint8_t* pixel = out.rgb.data();
  for (int y = 0; y < height; ++y) {
    const Between v = neighbours(y, height, image.height);
    const uint8_t *above = image.rgb.data() + stride * v.low,
                  *below = image.rgb.data() + stride * v.high;
    for (int x = 0; x < width; ++x, pixel += 3) {
      const Between u = neighbours(x, width, image.width);
      for (size_t c = 0; c < 3; ++c) {
        const auto along = [&](const uint8_t* row) {
          return std::lerp(static_cast<float>(row[3 * u.low + c]),
                           static_cast<float>(row[3 * u.high + c]), u.share);
        };
        pixel[c] = rounded(std::lerp(along(above), along(below), v.share));
      }
    }
  }
  return out;
}

}  // namespace muster
