#include "muster/draw/draw_evidence.h"

#include <gtest/gtest.h>

#include "support/pictures.h"

namespace muster {
namespace {

EvidenceDrawing drawing_of(double left, double right) {
  EvidenceDrawing out;
  out.title = {"bricks: score 1.2"};
  out.map = Matrix<double>(1, 2);
  out.map(0, 0) = left;
  out.map(0, 1) = right;
  return out;
}

std::array<int, 3> pixel(const Image& image, int x, int y) {
  const size_t p = 3 * (static_cast<size_t>(y) * image.width + x);
  return {image.rgb[p], image.rgb[p + 1], image.rgb[p + 2]};
}

TEST(DrawEvidence, IsBlueWhereItSpeaksAgainstAndOrangeWhereItSpeaksFor) {
  const Image picture = flat_picture(300, 260, 128);
  const Image drawn = draw_evidence(picture, drawing_of(-1, 1));
  const int panel = 300 + 12;
  const auto left = pixel(drawn, panel + 30, 130), right = pixel(drawn, panel + 270, 130);
  EXPECT_GT(left[2], left[0] + 50);
  EXPECT_GT(right[0], right[2] + 50);
  EXPECT_EQ(pixel(drawn, 150, 130), (std::array<int, 3>{128, 128, 128})) << "the picture as it is";
  const auto middle = pixel(drawn, panel + 150, 130);
  EXPECT_LT(std::abs(middle[0] - middle[2]), 25) << "no evidence, no colour";
}

TEST(DrawEvidence, WithoutEvidenceIsGrey) {
  const Image drawn = draw_evidence(flat_picture(300, 260, 90), drawing_of(0, 0));
  const auto p = pixel(drawn, 400, 100);
  EXPECT_EQ(p[0], p[2]);
}

TEST(DrawEvidence, EveryPartTakesRoomAndAnyShapeIsDrawn) {
  EvidenceDrawing drawing = drawing_of(-1, 2);
  const int bare = draw_evidence(flat_picture(300, 260, 90), drawing).height;
  drawing.for_class = {{0.5, 0.5, 0.1, 0.3}, {0, 1, 0.2, 0.1}};
  const int with_patches = draw_evidence(flat_picture(300, 260, 90), drawing).height;
  EXPECT_GT(with_patches, bare);
  drawing.against_it = {{1, 0, 0, -0.3}};
  drawing.deciding = {{flat_picture(20, 200, 10), "a/1.png +0.2", {{0.1f, 0.1f, 1, 1}}},
                      {flat_picture(200, 1, 10), "a/2.png -0.2", {}}};
  EXPECT_GT(draw_evidence(flat_picture(300, 260, 90), drawing).height, with_patches);
  for (const auto& [width, height] : {std::pair(1, 1), {1, 600}, {600, 1}, {16, 16}, {599, 600}}) {
    const Image drawn = draw_evidence(noise_picture(width, height), drawing);
    EXPECT_LE(drawn.width, 2000);
    EXPECT_LE(drawn.height, 1200);
    EXPECT_EQ(drawn.rgb.size(), size_t{3} * drawn.width * drawn.height);
    EXPECT_EQ(drawn, draw_evidence(noise_picture(width, height), drawing));
  }
}

}  // namespace
}  // namespace muster
