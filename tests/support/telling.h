// Pictures in which it is known what tells the class: a disc with the class's pattern amid clutter.
#pragma once

#include <cmath>

#include "muster/core/labels.h"
#include "muster/core/rng.h"
#include "muster/draw/canvas.h"
#include "muster/draw/synth.h"
#include "muster/draw/synth_patterns.h"
#include "muster/source/input.h"

namespace muster {

struct TellingPicture {
  Image image;
  Spot centre;  // of the disc that tells, in pixels
  double radius_px = 0;

  bool tells(double x, double y) const {
    return std::hypot(x - centre.x, y - centre.y) <= radius_px;
  }
};

inline Colour random_grey(double low, double high, Rng& rng) {
  const auto value = static_cast<uint8_t>(rng.uniform(low, high));
  return {value, value, value};
}

// One pattern in two greys, turned and scaled a little, within the disc.
inline void paint_pattern(const synth::Pattern& pattern, Spot centre, double radius_px, Rng rng,
                          Image& image) {
  const double turn = rng.uniform(-0.4, 0.4), period_px = rng.uniform(9, 13);
  const double dark = rng.uniform(30, 90), light = dark + rng.uniform(80, 130);
  const uint64_t key = rng.next();
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const double dx = x + 0.5 - centre.x, dy = y + 0.5 - centre.y;
      if (std::hypot(dx, dy) > radius_px) continue;
      const synth::Point p{(std::cos(turn) * dx + std::sin(turn) * dy) / period_px + 20,
                           (std::cos(turn) * dy - std::sin(turn) * dx) / period_px + 20};
      const double value = std::lerp(light, dark, pattern.ink(p, key)) + 4 * rng.normal();
      std::fill_n(&image.rgb[3 * (static_cast<size_t>(y) * image.width + x)], 3,
                  static_cast<uint8_t>(std::clamp(value, 0.0, 255.0)));
    }
}

// A disc covers 15 % of the picture.
inline TellingPicture telling_picture(int class_index, Rng rng) {
  constexpr int kWidth = 144, kHeight = 108, kClutter = 12;
  constexpr double kRadius = 27;
  Canvas canvas(kWidth, kHeight, random_grey(110, 170, rng));
  const auto place = [&](double margin) {
    return Spot{rng.uniform(margin, kWidth - margin), rng.uniform(margin, kHeight - margin)};
  };
  for (int i = 0; i < kClutter; ++i) {
    // One by one: compilers evaluate arguments in different orders, and would draw other pictures.
    const Colour grey = random_grey(60, 220, rng);
    const double width_px = rng.uniform(1, 6);
    const Spot to = place(0), from = place(0);
    canvas.line(from, to, width_px, grey);
  }
  TellingPicture out{canvas.image(), place(kRadius), kRadius};
  const auto patterns = synth::patterns();
  paint_pattern(patterns[static_cast<size_t>(class_index)], out.centre, kRadius,
                rng.derive("telling"), out.image);
  return out;
}

struct TellingPictures {
  std::vector<TellingPicture> pictures;
  std::vector<PixelView> views;
  Labels labels;

  TellingPictures(int classes, int per_class, uint64_t seed) {
    labels.class_names = synth_class_names(classes);
    for (int i = 0; i < classes * per_class; ++i) {
      pictures.push_back(telling_picture(i % classes, Rng(seed).derive(uint64_t(i))));
      labels.of_item.push_back({i % classes});
    }
    for (const TellingPicture& picture : pictures)
      views.push_back({.data = picture.image.rgb.data(),
                       .width = picture.image.width,
                       .height = picture.image.height});
  }
};

}  // namespace muster
