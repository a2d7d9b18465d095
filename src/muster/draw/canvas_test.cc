#include "muster/draw/canvas.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

constexpr Colour kWhite{255, 255, 255}, kBlack{0, 0, 0};

Colour at(const Image& image, int x, int y) {
  const uint8_t* p = &image.rgb[3 * (static_cast<size_t>(y) * image.width + x)];
  return {p[0], p[1], p[2]};
}

// How much ink there is, in pixels.
double ink(const Canvas& canvas) {
  double sum = 0;
  for (const uint8_t value : canvas.image().rgb) sum += 255 - value;
  return sum / (3 * 255);
}

TEST(Canvas, RectanglesFillTheirPixels) {
  Canvas canvas(10, 8, kWhite);
  canvas.rectangle(2, 3, 4, 2, {9, 8, 7});
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 10; ++x)
      EXPECT_EQ(at(canvas.image(), x, y),
                x >= 2 && x < 6 && y >= 3 && y < 5 ? (Colour{9, 8, 7}) : kWhite);
}

TEST(Canvas, ALineThroughCentresIsSharp) {
  Canvas canvas(9, 5, kWhite);
  canvas.line({2.5, 2.5}, {6.5, 2.5}, 1, kBlack);
  for (int x = 2; x <= 6; ++x) {
    EXPECT_EQ(at(canvas.image(), x, 2), kBlack);
    EXPECT_EQ(at(canvas.image(), x, 1), kWhite);
  }
  EXPECT_EQ(at(canvas.image(), 0, 2), kWhite);
  EXPECT_EQ(at(canvas.image(), 8, 2), kWhite);
}

TEST(Canvas, InkIsTheAreaWhateverTheDirection) {
  for (const Spot to : {Spot{90, 20}, {20, 90}, {75, 75}, {20, 21}, {80, 33.3}}) {
    Canvas canvas(110, 110, kWhite);
    const Spot from{20, 20};
    const double width = 4, length = std::hypot(to.x - from.x, to.y - from.y);
    canvas.line(from, to, width, kBlack);
    const double area = width * length + 3.14159265 * width * width / 4;  // round ends
    EXPECT_NEAR(ink(canvas), area, 0.02 * area + 0.5) << to.x << " " << to.y;
  }
}

TEST(Canvas, DiscsHaveTheirArea) {
  for (const double radius : {1.5, 3.0, 10.0}) {
    Canvas canvas(40, 40, kWhite);
    canvas.disc({20.3, 19.8}, radius, kBlack);
    EXPECT_NEAR(ink(canvas), 3.14159265 * radius * radius, 0.05 * radius * radius + 0.3);
  }
}

TEST(Canvas, AStrokeIsOneShape) {
  const Segment segment{{3.2, 3.7}, {20.1, 15.9}};
  const std::vector<Segment> twice{segment, segment};
  Canvas once(30, 30, kWhite), both(30, 30, kWhite);
  once.stroke({&segment, 1}, 2, kBlack);
  both.stroke(twice, 2, kBlack);
  EXPECT_EQ(once.image(), both.image());
}

TEST(Canvas, WhatLiesOutsideIsNotDrawn) {
  Canvas canvas(12, 10, kWhite);
  const Image red{3, 2, {255, 0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0}};
  canvas.line({-500, -400}, {-20, -3}, 3, kBlack);
  canvas.line({50, 3}, {400, 300}, 3, kBlack);
  canvas.disc({5, 100}, 4, kBlack);
  canvas.text({-300, -50}, "far away", 10, kBlack);
  canvas.rectangle(20, 20, 5, 5, kBlack);
  canvas.paste(red, 40, 40);
  canvas.paste(red, -3, 0);
  EXPECT_EQ(canvas.image(), Canvas(12, 10, kWhite).image());
  canvas.paste(red, -1, -1);
  EXPECT_EQ(at(canvas.image(), 1, 0), (Colour{255, 0, 0}));
  EXPECT_EQ(at(canvas.image(), 2, 0), kWhite);
  EXPECT_EQ(at(canvas.image(), 0, 1), kWhite);
  canvas.line({-50, 5.5}, {50, 5.5}, 1, kBlack);
  for (int x = 0; x < 12; ++x) EXPECT_EQ(at(canvas.image(), x, 5), kBlack);
}

TEST(Canvas, TextStandsOnItsBaseline) {
  Canvas canvas(80, 30, kWhite);
  canvas.text({5.5, 20.5}, "HI", 8, kBlack);
  EXPECT_EQ(at(canvas.image(), 5, 20), kBlack) << "the foot of the H";
  EXPECT_EQ(at(canvas.image(), 5, 12), kBlack) << "its top";
  EXPECT_EQ(at(canvas.image(), 5, 22), kWhite);
  EXPECT_EQ(at(canvas.image(), 5, 10), kWhite);
}

TEST(Canvas, ColoursByHue) {
  EXPECT_EQ(from_hsv(0, 1, 1), (Colour{255, 0, 0}));
  EXPECT_EQ(from_hsv(60, 1, 1), (Colour{255, 255, 0}));
  EXPECT_EQ(from_hsv(120, 1, 1), (Colour{0, 255, 0}));
  EXPECT_EQ(from_hsv(240, 1, 1), (Colour{0, 0, 255}));
  EXPECT_EQ(from_hsv(200, 0, 0.2), (Colour{51, 51, 51}));
}

}  // namespace
}  // namespace muster
