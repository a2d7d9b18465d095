#include "muster/draw/synth_patterns.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace muster::synth {
namespace {

constexpr double kPi = std::numbers::pi;

// Uniform in [0, 1), a function of the cell and of what is asked about it. Not an Rng stream:
// pixels ask in any order and the same cell must answer the same.
double cell_random(uint64_t key, int x, int y, int question) {
  uint64_t z = key;
  for (const int value : {x, y, question}) {
    z = (z ^ static_cast<uint64_t>(static_cast<int64_t>(value))) * 0x9e3779b97f4a7c15u;
    z ^= z >> 32;
  }
  z *= 0xd6e8feb86659fd93u;
  z ^= z >> 29;
  return static_cast<double>(z >> 11) * 0x1.0p-53;
}

double fraction(double x) { return x - std::floor(x); }
int cell_of(double x) { return static_cast<int>(std::floor(x)); }
// Distance to the nearest integer.
double to_integer(double x) { return std::abs(x - std::round(x)); }
double line(double d, double width) { return cover(std::abs(d) - width / 2); }

Point turned(Point p, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * p.x + s * p.y, c * p.y - s * p.x};
}

// The smallest signed distance to an element of the cells around p. `distance(q, cell_x, cell_y)`
// takes q relative to the element's centre, which is off the middle of its cell by at most
// `jitter`.
template <class Distance>
double nearest_element(Point p, uint64_t key, double jitter, Distance distance) {
  double best = 1e9;
  for (int y = cell_of(p.y) - 1; y <= cell_of(p.y) + 1; ++y)
    for (int x = cell_of(p.x) - 1; x <= cell_of(p.x) + 1; ++x) {
      const Point centre{x + 0.5 + jitter * (2 * cell_random(key, x, y, 0) - 1),
                         y + 0.5 + jitter * (2 * cell_random(key, x, y, 1) - 1)};
      best = std::min(best, distance(Point{p.x - centre.x, p.y - centre.y}, x, y));
    }
  return best;
}

double stripes(Point p, uint64_t) { return cover(0.25 - to_integer(p.y)); }

double zigzag(Point p, uint64_t) { return cover(0.25 - to_integer(p.y + to_integer(p.x * 0.7))); }

double checker(Point p, uint64_t) { return cover(std::sin(kPi * p.x) * std::sin(kPi * p.y) / kPi); }

double bricks(Point p, uint64_t key) {
  const double y = p.y * 1.7;
  const double x = p.x * 0.8 + 0.5 * (cell_of(y) & 1) + 0.2 * cell_random(key, 0, cell_of(y), 0);
  return cover(std::min(to_integer(x) / 0.8, to_integer(y) / 1.7) - 0.06);
}

double weave(Point p, uint64_t) {
  const bool across = ((cell_of(p.x) + cell_of(p.y)) & 1) != 0;
  const double strand = fraction(across ? p.y : p.x) - 0.5;
  const double side = std::abs(strand) - 0.36;
  return std::max(line(side, 0.12), line(strand, 0.1));
}

double honeycomb(Point p, uint64_t) {
  // Nearest centre of the two rectangular lattices that make up the hexagonal one.
  constexpr double kHeight = 1.7320508075688772;
  const auto offset = [](double v, double period) { return v - period * std::round(v / period); };
  const Point a{offset(p.x, 1), offset(p.y, kHeight)};
  const Point b{offset(p.x - 0.5, 1), offset(p.y - kHeight / 2, kHeight)};
  const Point q = a.x * a.x + a.y * a.y < b.x * b.x + b.y * b.y ? a : b;
  const double side = std::max(std::abs(q.x), 0.5 * std::abs(q.x) + kHeight / 2 * std::abs(q.y));
  return cover(side - 0.4);
}

double scales(Point p, uint64_t) {
  // Rows of discs, each row over the one above it; the first disc that holds p is the visible one.
  constexpr double kRadius = 0.62, kRow = 0.5;
  for (int row = cell_of(p.y / kRow) + 2;; --row) {
    const double x = p.x + 0.5 * (row & 1);
    const double d = std::hypot(x - std::round(x), p.y - row * kRow);
    if (d < kRadius) return line(d - kRadius + 0.05, 0.12);
  }
}

double cracks(Point p, uint64_t key) {
  double first = 1e9, second = 1e9;
  nearest_element(p, key, 0.42, [&](Point q, int, int) {
    const double d = std::hypot(q.x, q.y);
    second = std::min(second, std::max(first, d));
    first = std::min(first, d);
    return d;
  });
  return cover(second - first - 0.1);
}

double grass(Point p, uint64_t key) {
  p = {p.x * 2.2, p.y * 1.3};
  return cover(nearest_element(p, key, 0.45, [key](Point q, int x, int y) {
    q = turned(q, 0.7 * (cell_random(key, x, y, 2) - 0.5));
    const double taper = 0.16 * (q.y + 0.9);
    return segment_distance(q, {0, -0.6}, {0, 0.6}) - std::clamp(taper, 0.04, 0.24);
  }));
}

double dots(Point p, uint64_t key) {
  return cover(nearest_element(p, key, 0.15, [key](Point q, int x, int y) {
    return std::hypot(q.x, q.y) - 0.22 - 0.12 * cell_random(key, x, y, 2);
  }));
}

double rings(Point p, uint64_t key) {
  return cover(nearest_element(p, key, 0.12, [key](Point q, int x, int y) {
    const double radius = 0.28 + 0.1 * cell_random(key, x, y, 2);
    return std::abs(std::hypot(q.x, q.y) - radius) - 0.07;
  }));
}

double stars(Point p, uint64_t key) {
  return cover(nearest_element(p, key, 0.12, [key](Point q, int x, int y) {
    constexpr double kOuter = 0.46, kInner = 0.19, kHalfSector = kPi / 5;
    const double angle = std::atan2(q.y, q.x) + 2 * kPi * cell_random(key, x, y, 2);
    const double a = kHalfSector * 2 * to_integer(angle / (2 * kHalfSector));
    const double r = std::hypot(q.x, q.y);
    // Signed distance to the edge from the tip (kOuter, 0) to the inner corner.
    const Point edge{kInner * std::cos(kHalfSector) - kOuter, kInner * std::sin(kHalfSector)};
    const Point from_tip{r * std::cos(a) - kOuter, r * std::sin(a)};
    return (edge.y * from_tip.x - edge.x * from_tip.y) / std::hypot(edge.x, edge.y);
  }));
}

double triangles(Point p, uint64_t key) {
  return cover(nearest_element(p, key, 0.12, [key](Point q, int x, int y) {
    const double angle = std::atan2(q.y, q.x) + 2 * kPi * cell_random(key, x, y, 2);
    const double sector = 2 * kPi / 3;
    return std::hypot(q.x, q.y) * std::cos(sector * (angle / sector - std::round(angle / sector))) -
           0.22;
  }));
}

double crosses(Point p, uint64_t key) {
  return cover(nearest_element(p, key, 0.12, [key](Point q, int x, int y) {
    q = turned(q, kPi * cell_random(key, x, y, 2));
    return std::min(segment_distance(q, {-0.34, 0}, {0.34, 0}),
                    segment_distance(q, {0, -0.34}, {0, 0.34})) -
           0.08;
  }));
}

// Letter-like marks: four strokes between points of a 2 x 3 lattice, another mark in every cell.
double glyphs(Point p, uint64_t key) {
  return cover(nearest_element(p, key, 0.05, [key](Point q, int x, int y) {
    const auto lattice_point = [&](int question) {
      const int i = static_cast<int>(6 * cell_random(key, x, y, question));
      return Point{i % 2 * 0.5 - 0.25, i / 2 * 0.34 - 0.34};
    };
    double d = 1e9;
    for (int stroke = 0; stroke < 4; ++stroke)
      d = std::min(d, segment_distance(q, lattice_point(2 + stroke), lattice_point(3 + stroke)));
    return d - 0.06;
  }));
}

// Level lines of smooth noise, like the grain of wood.
double contours(Point p, uint64_t key) {
  const Point q{p.x * 0.5, p.y * 0.5};
  const auto smooth = [](double t) { return t * t * (3 - 2 * t); };
  const double u = smooth(fraction(q.x)), v = smooth(fraction(q.y));
  const auto corner = [&](int dx, int dy) {
    return cell_random(key, cell_of(q.x) + dx, cell_of(q.y) + dy, 0);
  };
  const double height = (1 - v) * ((1 - u) * corner(0, 0) + u * corner(1, 0)) +
                        v * ((1 - u) * corner(0, 1) + u * corner(1, 1));
  return cover((0.25 - to_integer(3 * height)) * 1.5);
}

constexpr Pattern kPatterns[] = {
    {"bricks", bricks},   {"stars", stars},         {"scales", scales},   {"dots", dots},
    {"cracks", cracks},   {"weave", weave},         {"glyphs", glyphs},   {"triangles", triangles},
    {"grass", grass},     {"rings", rings},         {"checker", checker}, {"crosses", crosses},
    {"stripes", stripes}, {"honeycomb", honeycomb}, {"zigzag", zigzag},   {"contours", contours},
};

}  // namespace

std::span<const Pattern> patterns() { return kPatterns; }

double cover(double d, double softness) { return std::clamp(0.5 - d / softness, 0.0, 1.0); }

double segment_distance(Point p, Point a, Point b) {
  const Point along{b.x - a.x, b.y - a.y}, from{p.x - a.x, p.y - a.y};
  const double length2 = along.x * along.x + along.y * along.y;
  const double t =
      length2 > 0 ? std::clamp((from.x * along.x + from.y * along.y) / length2, 0.0, 1.0) : 0.0;
  const double x = from.x - t * along.x, y = from.y - t * along.y;
  return std::sqrt(x * x + y * y);  // hypot guards against overflow at five times the cost
}

}  // namespace muster::synth
