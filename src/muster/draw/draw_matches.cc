#include "muster/draw/draw_matches.h"

#include <opencv2/imgproc.hpp>

#include "muster/image/opencv.h"

namespace muster {
namespace {

constexpr int kGapPx = 12, kMarginPx = 8, kLegendLinePx = 20;
constexpr int kLeastHeightPx = 400, kMostHeightPx = 900;
constexpr double kFontScale = 0.45;
const cv::Scalar kInk(40, 40, 40), kPaper(255, 255, 255);

// Pale, so that the lines stand out; three equal channels.
cv::Mat pale(const Image& image, int height) {
  const cv::Mat rgb(image.height, image.width, CV_8UC3, const_cast<uint8_t*>(image.rgb.data()));
  cv::Mat grey_picture, out;
  cv::cvtColor(rgb, grey_picture, cv::COLOR_RGB2GRAY);
  const int width =
      std::max(1, static_cast<int>(std::lround(double(image.width) * height / image.height)));
  cv::resize(grey_picture, grey_picture, {width, height}, 0, 0,
             height < image.height ? cv::INTER_AREA : cv::INTER_CUBIC);
  grey_picture.convertTo(grey_picture, CV_8U, 0.55, 112);
  cv::cvtColor(grey_picture, out, cv::COLOR_GRAY2RGB);
  return out;
}

// From blue (first) by green and yellow to red (last).
cv::Scalar colour_of(size_t group, size_t count) {
  const double hue =
      count < 2 ? 110
                : 110.0 * static_cast<double>(count - 1 - group) / static_cast<double>(count - 1);
  const cv::Mat hsv(1, 1, CV_8UC3, cv::Scalar(hue, 235, 205));
  cv::Mat rgb;
  cv::cvtColor(hsv, rgb, cv::COLOR_HSV2RGB);
  const auto& c = rgb.at<cv::Vec3b>(0, 0);
  return {static_cast<double>(c[0]), static_cast<double>(c[1]), static_cast<double>(c[2])};
}

int text_width(const std::string& text) {
  return cv::getTextSize(text, cv::FONT_HERSHEY_SIMPLEX, kFontScale, 1, nullptr).width;
}

struct LegendEntry {
  cv::Point place;  // of its left edge, from the top left of the legend
  std::string text;
};

// Entries in lines of at most `width`; the first is the title and stands alone.
std::vector<LegendEntry> lay_out(const std::vector<MatchGroup>& groups, const std::string& title,
                                 int width) {
  std::vector<LegendEntry> out{{{kMarginPx, 0}, title}};
  int x = kMarginPx, y = kLegendLinePx;
  for (const MatchGroup& group : groups) {
    const int needed = 26 + text_width(group.label) + 18;
    if (x > kMarginPx && x + needed > width) {
      x = kMarginPx;
      y += kLegendLinePx;
    }
    out.push_back({{x, y}, group.label});
    x += needed;
  }
  return out;
}

void draw_legend(cv::Mat canvas, const std::vector<LegendEntry>& entries) {
  for (size_t e = 0; e < entries.size(); ++e) {
    const cv::Point middle = entries[e].place + cv::Point(0, kLegendLinePx / 2);
    if (e > 0)
      cv::line(canvas, middle, middle + cv::Point(20, 0), colour_of(e - 1, entries.size() - 1), 3,
               cv::LINE_AA);
    cv::putText(canvas, entries[e].text, middle + cv::Point(e > 0 ? 26 : 0, 5),
                cv::FONT_HERSHEY_SIMPLEX, kFontScale, kInk, 1, cv::LINE_AA);
  }
}

}  // namespace

Image draw_matches(const Image& left, const Image& right, const std::vector<MatchGroup>& groups,
                   const std::string& title) {
  prepare_opencv();
  const int height = std::clamp(std::max(left.height, right.height), kLeastHeightPx, kMostHeightPx);
  const cv::Mat a = pale(left, height), b = pale(right, height);
  const int width = std::max(a.cols + kGapPx + b.cols, text_width(title) + 2 * kMarginPx);
  const std::vector<LegendEntry> legend = lay_out(groups, title, width);
  const int legend_height = legend.back().place.y + kLegendLinePx + kMarginPx;
  cv::Mat canvas(height + kMarginPx + legend_height, width, CV_8UC3, kPaper);
  a.copyTo(canvas(cv::Rect(0, 0, a.cols, height)));
  b.copyTo(canvas(cv::Rect(a.cols + kGapPx, 0, b.cols, height)));

  constexpr int kFractionBits = 4;  // of coordinates, for lines that end between pixels
  const auto at = [&](double x, double y) {
    return cv::Point(static_cast<int>(std::lround(x * (1 << kFractionBits))),
                     static_cast<int>(std::lround(y * (1 << kFractionBits))));
  };
  for (size_t g = groups.size(); g-- > 0;)
    for (const MatchLine& line : groups[g].lines) {
      const cv::Point from = at(line.left_x * a.cols, line.left_y * height),
                      to = at(a.cols + kGapPx + line.right_x * b.cols, line.right_y * height);
      const cv::Scalar colour = colour_of(g, groups.size());
      cv::line(canvas, from, to, colour, 1, cv::LINE_AA, kFractionBits);
      for (const cv::Point& end : {from, to})
        cv::circle(canvas, end, 3 << kFractionBits, colour, cv::FILLED, cv::LINE_AA, kFractionBits);
    }
  draw_legend(canvas(cv::Rect(0, height + kMarginPx, width, legend_height)), legend);
  Image out{canvas.cols, canvas.rows, {}};
  out.rgb.assign(canvas.datastart, canvas.dataend);
  return out;
}

}  // namespace muster
