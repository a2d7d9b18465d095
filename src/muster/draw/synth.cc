#include "muster/draw/synth.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "muster/draw/synth_patterns.h"

namespace muster {
namespace {

using synth::cover;
using synth::Pattern;
using synth::Point;
using Colour = std::array<double, 3>;

// What decides how hard the set is. With these, 1000 words of dense SIFT and a linear SVM on 30
// training pictures per class are right on about four test pictures in five (8 classes).
constexpr double kMaxTurn = 0.8;      // radians, either way
constexpr double kMinPeriod = 0.085;  // distance of pattern elements, of the shorter side
constexpr double kMaxPeriod = 0.18;
constexpr double kMinRadius = 0.28;  // of the subject's blob, of the shorter side
constexpr double kMaxRadius = 0.5;
constexpr double kDistractorChance = 0.8;  // that another class's pattern is shown too
constexpr int kClutter = 18;
constexpr int kOccluders = 4;

// All lengths from here on are in units of the picture's shorter side, its middle at (0, 0).

Colour random_colour(Rng& rng) {
  return {rng.uniform(20, 235), rng.uniform(20, 235), rng.uniform(20, 235)};
}

double luma(const Colour& c) { return 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2]; }

// A colour that differs from `other` enough for a pattern of the two to be visible.
Colour contrasting_colour(const Colour& other, Rng& rng) {
  const double at_least = rng.uniform(25, 60);
  for (;;) {
    const Colour c = random_colour(rng);
    if (std::abs(luma(c) - luma(other)) >= at_least) return c;
  }
}

void blend(Colour& below, const Colour& above, double amount) {
  for (size_t i = 0; i < below.size(); ++i) below[i] += amount * (above[i] - below[i]);
}

// A closed outline: a disc whose radius swings with the angle.
struct Blob {
  Point centre;
  double radius;
  double swing[3], phase[3];

  Blob(Point centre, double radius, Rng& rng) : centre(centre), radius(radius) {
    for (int i = 0; i < 3; ++i) {
      swing[i] = rng.uniform(0, 0.3 / (i + 2));
      phase[i] = rng.uniform(0, 2 * std::numbers::pi);
    }
  }

  // Approximate signed distance, negative inside.
  double distance(Point p) const {
    const double x = p.x - centre.x, y = p.y - centre.y;
    const double angle = std::atan2(y, x);
    double edge = radius;
    for (int i = 0; i < 3; ++i) edge *= 1 + swing[i] * std::cos((i + 2) * angle + phase[i]);
    return std::hypot(x, y) - edge;
  }
};

// A pattern in two colours, turned, scaled, sheared and gently bent, shown within a blob.
class PatternPatch {
 public:
  PatternPatch(const Pattern& pattern, Blob blob, Rng rng)
      : pattern_(pattern), blob_(blob), key_(rng.next()) {
    const double turn = rng.uniform(-kMaxTurn, kMaxTurn);
    const double scale = 1 / (kMinPeriod * std::pow(kMaxPeriod / kMinPeriod, rng.uniform()));
    const double stretch = std::exp(rng.uniform(-0.2, 0.2));
    xx_ = scale * stretch * std::cos(turn);
    xy_ = scale * stretch * std::sin(turn);
    yx_ = -scale / stretch * std::sin(turn);
    yy_ = scale / stretch * std::cos(turn);
    offset_ = {rng.uniform(-50, 50), rng.uniform(-50, 50)};
    bend_ = rng.uniform(0, 0.25);
    bend_phase_ = {rng.uniform(0, 6.3), rng.uniform(0, 6.3)};
    ground_ = random_colour(rng);
    ink_ = contrasting_colour(ground_, rng);
  }

  void paint(Point p, double pixel, Colour& colour) const {
    const double inside = cover(blob_.distance(p), 2 * pixel);
    if (inside <= 0) return;
    const Point q{xx_ * p.x + xy_ * p.y + offset_.x, yx_ * p.x + yy_ * p.y + offset_.y};
    const Point bent{q.x + bend_ * std::sin(0.9 * q.y + bend_phase_.x),
                     q.y + bend_ * std::sin(0.9 * q.x + bend_phase_.y)};
    Colour here = ground_;
    blend(here, ink_, pattern_.ink(bent, key_));
    blend(colour, here, inside);
  }

 private:
  const Pattern& pattern_;
  Blob blob_;
  uint64_t key_;
  double xx_, xy_, yx_, yy_;
  Point offset_;
  double bend_;
  Point bend_phase_;
  Colour ground_, ink_;
};

// A stroke or, if its ends coincide, a disc.
struct Mark {
  Point from, to;
  double half_width;
  Colour colour;

  void paint(Point p, double pixel, Colour& below) const {
    const double amount = cover(synth::segment_distance(p, from, to) - half_width, 1.5 * pixel);
    if (amount > 0) blend(below, colour, amount);
  }
};

Point random_place(double half_width, double half_height, Rng& rng) {
  return {rng.uniform(-half_width, half_width), rng.uniform(-half_height, half_height)};
}

Mark random_mark(double half_width, double half_height, double thinnest, double thickest,
                 Rng& rng) {
  Mark mark;
  mark.from = mark.to = random_place(half_width, half_height, rng);
  if (rng.uniform() < 0.7) {
    const double length = rng.uniform(0.1, 0.7), angle = rng.uniform(0, std::numbers::pi);
    mark.to.x += length * std::cos(angle);
    mark.to.y += length * std::sin(angle);
  }
  mark.half_width = rng.uniform(thinnest, thickest);
  mark.colour = random_colour(rng);
  return mark;
}

// Everything that is to be seen, back to front.
struct Scene {
  Colour ground;
  std::vector<Mark> clutter;
  std::vector<PatternPatch> patches;
  std::vector<Mark> occluders;

  Colour at(Point p, double pixel) const {
    Colour colour = ground;
    for (const Mark& mark : clutter) mark.paint(p, pixel, colour);
    for (const PatternPatch& patch : patches) patch.paint(p, pixel, colour);
    for (const Mark& mark : occluders) mark.paint(p, pixel, colour);
    return colour;
  }
};

Scene random_scene(size_t pattern, double half_width, double half_height, Rng rng) {
  const std::span<const Pattern> patterns = synth::patterns();
  Scene scene;
  scene.ground = random_colour(rng);
  for (int i = 0; i < kClutter; ++i)
    scene.clutter.push_back(random_mark(half_width, half_height, 0.008, 0.07, rng));
  if (rng.uniform() < kDistractorChance) {
    const size_t other = (pattern + 1 + rng.below(patterns.size() - 1)) % patterns.size();
    const Blob blob(random_place(half_width, half_height, rng), rng.uniform(0.15, 0.27), rng);
    scene.patches.emplace_back(patterns[other], blob, rng.derive("distractor"));
  }
  const Blob blob(random_place(half_width * 0.45, half_height * 0.35, rng),
                  rng.uniform(kMinRadius, kMaxRadius), rng);
  scene.patches.emplace_back(patterns[pattern], blob, rng.derive("subject"));
  for (int i = 0; i < kOccluders; ++i)
    scene.occluders.push_back(random_mark(half_width, half_height, 0.01, 0.06, rng));
  return scene;
}

// Brightness over the picture, and the noise of the sensor.
struct Light {
  double gain, slope_x, slope_y, noise;

  explicit Light(Rng& rng)
      : gain(std::exp(rng.uniform(-0.45, 0.25))),
        slope_x(rng.uniform(-0.45, 0.45)),
        slope_y(rng.uniform(-0.45, 0.45)),
        noise(rng.uniform(3, 13)) {}

  double at(Point p) const { return gain * (1 + slope_x * p.x + slope_y * p.y); }
};

}  // namespace

int synth_max_classes() { return static_cast<int>(synth::patterns().size()); }

std::vector<std::string> synth_class_names(int n) {
  if (n < 2 || n > synth_max_classes())
    throw usage_error("synth: {} classes asked for; choose 2 to {}", n, synth_max_classes());
  std::vector<std::string> names;
  for (const Pattern& pattern : synth::patterns().first(static_cast<size_t>(n)))
    names.emplace_back(pattern.name);
  return names;
}

Image synth_image(int class_index, int width, int height, Rng rng) {
  MUSTER_CHECK(class_index >= 0 && class_index < synth_max_classes());
  if (std::min(width, height) < kSynthMinSide || std::max(width, height) > kSynthMaxSide)
    throw usage_error("synth: pictures of {}x{} asked for; each side may be {} to {} pixels", width,
                      height, kSynthMinSide, kSynthMaxSide);
  const double pixel = 1.0 / std::min(width, height);
  const Scene scene = random_scene(static_cast<size_t>(class_index), width * pixel / 2,
                                   height * pixel / 2, rng.derive("scene"));
  Rng light_stream = rng.derive("light");
  const Light light(light_stream);
  Rng noise = rng.derive("noise");

  Image image{width, height, std::vector<uint8_t>(static_cast<size_t>(width) * height * 3)};
  uint8_t* out = image.rgb.data();
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const Point p{(x + 0.5 - width / 2.0) * pixel, (y + 0.5 - height / 2.0) * pixel};
      const double brightness = light.at(p);
      for (const double channel : scene.at(p, pixel)) {
        const double value = channel * brightness + light.noise * noise.normal();
        *out++ = static_cast<uint8_t>(std::clamp(value + 0.5, 0.0, 255.0));
      }
    }
  return image;
}

}  // namespace muster
