#include "muster/image/decode.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "muster/image/header.h"
#include "muster/image/opencv.h"

namespace muster {
namespace {

void check_header(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.empty()) throw data_error("{}: the file is empty; leave it out or copy it again", name);
  const auto header = read_header(bytes);
  if (!header) {
    throw data_error(
        "{}: not a picture (looked for JPEG, PNG, TIFF, BMP, WebP and PNM by content); leave it "
        "out",
        name);
  }
  const char* format = format_name(header->format);
  const auto [_, width, height] = *header;
  if (width == 0 || height == 0)
    throw data_error("{}: the {} header is damaged or cut short; copy the file again", name,
                     format);
  if (width > kMaxPixels / height) {
    throw data_error("{}: {} x {} pixels are more than the {} million allowed; shrink the picture",
                     name, width, height, kMaxPixels / 1'000'000);
  }
  if (is_cut_short(bytes, header->format))
    throw data_error("{}: the {} data are cut short; copy the file again", name, format);
}

// Any depth to 8 bits. Integers keep their upper 8 bits; floats are taken to be in [0, 1].
cv::Mat to_8_bits(const cv::Mat& in) {
  cv::Mat out;
  switch (in.depth()) {
    case CV_8U:
      return in;
    case CV_16U:
      in.convertTo(out, CV_8U, 1.0 / 257);
      return out;
    case CV_32F:
    case CV_64F:
      in.convertTo(out, CV_8U, 255);
      return out;
    default:
      in.convertTo(out, CV_8U);
      return out;
  }
}

// BGRA laid on white.
cv::Mat flatten_alpha(const cv::Mat& in) {
  cv::Mat out(in.size(), CV_8UC3);
  for (int y = 0; y < in.rows; ++y) {
    const auto* from = in.ptr<cv::Vec4b>(y);
    auto* to = out.ptr<cv::Vec3b>(y);
    for (int x = 0; x < in.cols; ++x) {
      const int alpha = from[x][3];
      for (int c = 0; c < 3; ++c)
        to[x][c] = static_cast<uint8_t>((from[x][c] * alpha + 255 * (255 - alpha) + 127) / 255);
    }
  }
  return out;
}

// What EXIF orientation does to a picture; OpenCV applies it only when it also drops the alpha.
cv::Mat decode_bgr(std::span<const std::byte> bytes, bool with_alpha) {
  // An input array that views the bytes; OpenCV does not write to it.
  const cv::Mat buffer(1, static_cast<int>(bytes.size()), CV_8U,
                       const_cast<std::byte*>(bytes.data()));
  if (!with_alpha) return cv::imdecode(buffer, cv::IMREAD_COLOR);
  cv::Mat picture = to_8_bits(cv::imdecode(buffer, cv::IMREAD_UNCHANGED));
  return picture.channels() == 4 ? flatten_alpha(picture) : cv::imdecode(buffer, cv::IMREAD_COLOR);
}

cv::Mat shrink(const cv::Mat& picture, int longest_side_px) {
  const int longest = std::max(picture.cols, picture.rows);
  if (longest_side_px == 0 || longest <= longest_side_px) return picture;
  const double factor = static_cast<double>(longest_side_px) / longest;
  const auto side = [&](int length) {
    return std::max(1, static_cast<int>(std::lround(length * factor)));
  };
  cv::Mat out;
  cv::resize(picture, out, cv::Size(side(picture.cols), side(picture.rows)), 0, 0, cv::INTER_AREA);
  return out;
}

Image to_image(const cv::Mat& bgr) {
  Image image{bgr.cols, bgr.rows, std::vector<uint8_t>(size_t{3} * bgr.cols * bgr.rows)};
  cv::Mat rgb(bgr.size(), CV_8UC3, image.rgb.data());
  cv::cvtColor(bgr, rgb, cv::COLOR_BGR2RGB);
  return image;
}

}  // namespace

Image decode_image(std::span<const std::byte> bytes, const std::string& name,
                   const DecodeOptions& options) {
  OptionsOf<DecodeOptions>(options).validate("image");
  prepare_opencv();
  check_header(bytes, name);
  const PictureFormat format = read_header(bytes)->format;
  try {
    const cv::Mat picture = decode_bgr(bytes, format != PictureFormat::kJpeg);
    if (picture.empty())
      throw data_error("{}: damaged {} data; copy the file again or leave it out", name,
                       format_name(format));
    return to_image(shrink(picture, options.longest_side_px));
  } catch (const cv::Exception& e) {
    throw data_error("{}: damaged {} data ({}); copy the file again or leave it out", name,
                     format_name(format), e.err);
  }
}

Image read_image(const std::filesystem::path& path, const DecodeOptions& options) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in || std::filesystem::is_directory(path))
    throw data_error("{}: cannot be opened; check that the file exists and may be read",
                     path.string());
  std::vector<std::byte> bytes(static_cast<size_t>(in.tellg()));
  in.seekg(0);
  if (!in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
    throw data_error("{}: cannot be read to its end", path.string());
  return decode_image(bytes, path.string(), options);
}

std::vector<std::byte> encode_png(const Image& image) {
  MUSTER_CHECK(image.width > 0 && image.height > 0);
  prepare_opencv();
  const cv::Mat rgb(image.height, image.width, CV_8UC3, const_cast<uint8_t*>(image.rgb.data()));
  cv::Mat bgr;
  cv::cvtColor(rgb, bgr, cv::COLOR_RGB2BGR);
  std::vector<uint8_t> out;
  MUSTER_CHECK(cv::imencode(".png", bgr, out));
  const auto bytes = std::as_bytes(std::span(out));
  return {bytes.begin(), bytes.end()};
}

}  // namespace muster
