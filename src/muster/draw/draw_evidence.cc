#include "muster/draw/draw_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "muster/draw/canvas.h"
#include "muster/draw/diverging.h"
#include "muster/draw/font.h"
#include "muster/draw/scaled.h"

namespace muster {
namespace {

constexpr int kMarginPx = 12, kLinePx = 22, kBarPx = 16;
constexpr int kLeastHeightPx = 260, kMostHeightPx = 480, kMostWidthPx = 900, kLeastWidthPx = 640;
constexpr int kCropPx = 72, kThumbnailPx = 110;
constexpr double kTextPx = 10, kSmallTextPx = 8;
constexpr Colour kInk{40, 40, 40}, kPaper{255, 255, 255};

double largest_magnitude(const Matrix<double>& map) {
  double out = 0;
  for (const double value : map.values()) out = std::max(out, std::abs(value));
  return out;
}

// Between the middles of the map's cells; `x`, `y` in [0, 1].
double map_at(const Matrix<double>& map, double x, double y) {
  const auto axis = [](double place, size_t cells) {
    const double at =
        std::clamp(place * static_cast<double>(cells) - 0.5, 0.0, static_cast<double>(cells - 1));
    const auto low = static_cast<size_t>(at);
    return std::tuple(low, std::min(low + 1, cells - 1), at - static_cast<double>(low));
  };
  const auto [left, right, across] = axis(x, map.cols());
  const auto [top, bottom, down] = axis(y, map.rows());
  return std::lerp(std::lerp(map(top, left), map(top, right), across),
                   std::lerp(map(bottom, left), map(bottom, right), across), down);
}

// The picture in the colours of the map, as through coloured glass: no evidence changes nothing.
Image with_map(const Image& picture, const Matrix<double>& map) {
  Image out = pale(picture);
  const double largest = largest_magnitude(map);
  if (largest == 0) return out;
  const Colour clear = diverging(0);
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x) {
      const Colour glass =
          diverging(map_at(map, (x + 0.5) / out.width, (y + 0.5) / out.height) / largest);
      uint8_t* pixel = &out.rgb[3 * (static_cast<size_t>(y) * out.width + x)];
      pixel[0] = static_cast<uint8_t>(std::min(255, pixel[0] * glass.red / clear.red));
      pixel[1] = static_cast<uint8_t>(std::min(255, pixel[1] * glass.green / clear.green));
      pixel[2] = static_cast<uint8_t>(std::min(255, pixel[2] * glass.blue / clear.blue));
    }
  return out;
}

// White below, so that it shows on any picture.
void outline(Canvas& canvas, const EvidencePatch& patch, const Image& picture, int left, int top,
             Colour colour) {
  const double half = patch.size * std::max(picture.width, picture.height) / 2;
  const double x = left + patch.x * picture.width, y = top + patch.y * picture.height;
  const Spot corners[] = {
      {x - half, y - half}, {x + half, y - half}, {x + half, y + half}, {x - half, y + half}};
  std::vector<Segment> sides;
  for (size_t i = 0; i < 4; ++i) sides.push_back({corners[i], corners[(i + 1) % 4]});
  canvas.stroke(sides, 4, kPaper);
  canvas.stroke(sides, 2, colour);
}

// The patch by itself, enlarged.
Image crop(const Image& picture, const EvidencePatch& patch) {
  const double side = std::max(1.0, patch.size * std::max(picture.width, picture.height));
  Image out{kCropPx, kCropPx, std::vector<uint8_t>(size_t{3} * kCropPx * kCropPx)};
  for (int y = 0; y < kCropPx; ++y)
    for (int x = 0; x < kCropPx; ++x) {
      const auto place = [&](int at, double centre, int length) {
        const double pixel = centre * length + ((at + 0.5) / kCropPx - 0.5) * side;
        return static_cast<size_t>(std::clamp(pixel, 0.0, length - 1.0));
      };
      const size_t from = 3 * (place(y, patch.y, picture.height) * picture.width +
                               place(x, patch.x, picture.width));
      std::copy_n(&picture.rgb[from], 3, &out.rgb[3 * (size_t(y) * kCropPx + x)]);
    }
  return out;
}

// What is drawn below the two panels, one block after the other.
class Below {
 public:
  Below(Canvas& canvas, const Image& picture) : canvas_(canvas), picture_(picture) {}

  int top = 0;

  void line(const std::string& text) {
    canvas_.text({double(kMarginPx), top + (kLinePx + kTextPx) / 2}, text, kTextPx, kInk);
    top += kLinePx;
  }

  void legend(const EvidenceDrawing& drawing, int width) {
    const double percent = static_cast<double>(drawing.map.size()) / 100;
    const std::string end = fmt::format("{:.2g}", largest_magnitude(drawing.map) * percent);
    const std::string left = "against, -" + end,
                      right = "for, " + end + " of the score per % of the picture";
    double x = kMarginPx;
    const double baseline = top + (kLinePx + kTextPx) / 2;
    canvas_.text({x, baseline}, left, kTextPx, kInk);
    x += text_width(left, kTextPx) + 8;
    const double room = width - x - text_width(right, kTextPx) - 8 - kMarginPx;
    const int bar = static_cast<int>(std::clamp(room, 80.0, 240.0));
    for (int i = 0; i < bar; ++i)
      canvas_.rectangle(static_cast<int>(x) + i, top + (kLinePx - kBarPx) / 2, 1, kBarPx,
                        diverging(2 * (i + 0.5) / bar - 1));
    canvas_.text({x + bar + 8, baseline}, right, kTextPx, kInk);
    top += kLinePx;
  }

  void patches(const std::string& text, const std::vector<EvidencePatch>& patches, int width,
               Colour colour) {
    if (patches.empty()) return;
    line(text);
    int left = kMarginPx;
    for (const EvidencePatch& patch : patches) {
      if (left + kCropPx > width) break;
      canvas_.rectangle(left - 2, top - 2, kCropPx + 4, kCropPx + 4, colour);
      canvas_.paste(crop(picture_, patch), left, top);
      canvas_.text({double(left), top + kCropPx + kSmallTextPx + 6},
                   fmt::format("{:+.3g}", patch.value), kSmallTextPx, kInk);
      left += kCropPx + kMarginPx;
    }
    top += kCropPx + kLinePx;
  }

  void deciding(const std::vector<DecidingPicture>& pictures, int width) {
    if (pictures.empty()) return;
    line("training pictures that decided:");
    const Image own = fit_within(picture_, 2 * kThumbnailPx, kThumbnailPx);
    int left = kMarginPx;
    for (const DecidingPicture& other : pictures) {
      const Image shown = fit_within(other.picture, 2 * kThumbnailPx, kThumbnailPx);
      const int pair = (other.lines.empty() ? 0 : own.width + 4) + shown.width;
      const double text = text_width(other.label, kSmallTextPx);
      if (left > kMarginPx && left + std::max<double>(pair, text) > width) break;
      const int right = left + pair - shown.width;
      if (!other.lines.empty()) canvas_.paste(pale(own), left, top);
      canvas_.paste(other.lines.empty() ? shown : pale(shown), right, top);
      for (const MatchLine& line : other.lines) {
        const Spot from{left + line.left_x * own.width, top + line.left_y * own.height};
        const Spot to{right + line.right_x * shown.width, top + line.right_y * shown.height};
        canvas_.line(from, to, 1, kInk);
        canvas_.disc(from, 2, kInk);
        canvas_.disc(to, 2, kInk);
      }
      canvas_.text({double(left), top + kThumbnailPx + kSmallTextPx + 6}, other.label, kSmallTextPx,
                   kInk);
      left += static_cast<int>(std::max<double>(pair, text)) + 2 * kMarginPx;
    }
    top += kThumbnailPx + kLinePx;
  }

 private:
  Canvas& canvas_;
  const Image& picture_;
};

int height_below(const EvidenceDrawing& drawing) {
  const int rows =
      static_cast<int>(!drawing.for_class.empty()) + static_cast<int>(!drawing.against_it.empty());
  return static_cast<int>(drawing.title.size() + 1) * kLinePx + rows * (kCropPx + 2 * kLinePx) +
         (drawing.deciding.empty() ? 0 : kThumbnailPx + 2 * kLinePx) + 2 * kMarginPx;
}

}  // namespace

Image draw_evidence(const Image& picture, const EvidenceDrawing& drawing) {
  const Image shown =
      fit_within(picture, kMostWidthPx, std::clamp(picture.height, kLeastHeightPx, kMostHeightPx));
  double width = std::max(kLeastWidthPx, 2 * shown.width + kMarginPx);
  for (const std::string& line : drawing.title)
    width = std::max(width, text_width(line, kTextPx) + 2 * kMarginPx);
  Canvas canvas(static_cast<int>(width), shown.height + height_below(drawing), kPaper);
  canvas.paste(shown, 0, 0);
  canvas.paste(with_map(shown, drawing.map), shown.width + kMarginPx, 0);
  for (const EvidencePatch& patch : drawing.against_it)
    outline(canvas, patch, shown, 0, 0, diverging(-1));
  for (const EvidencePatch& patch : drawing.for_class)
    outline(canvas, patch, shown, 0, 0, diverging(1));
  Below below(canvas, shown);
  below.top = shown.height + kMarginPx;
  for (const std::string& line : drawing.title) below.line(line);
  below.legend(drawing, canvas.image().width);
  below.patches("strongest patches for:", drawing.for_class, canvas.image().width, diverging(1));
  below.patches("strongest patches against:", drawing.against_it, canvas.image().width,
                diverging(-1));
  below.deciding(drawing.deciding, canvas.image().width);
  return canvas.image();
}

}  // namespace muster
