#include "muster/image/decode.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "muster/image/codecs.h"
#include "muster/image/header.h"
#include "muster/image/opencv.h"

namespace muster {
namespace {

// More than 100 million pixels of 16 bits and four channels need; OpenCV counts bytes in an int.
constexpr size_t kMaxBytes = 1'000'000'000;

PictureFormat check_header(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.empty()) throw data_error("{}: the file is empty; leave it out or copy it again", name);
  if (bytes.size() > kMaxBytes)
    throw data_error("{}: {} bytes are too many for a picture; shrink it", name, bytes.size());
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
  return header->format;
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

// A view of the picture for OpenCV, which does not write to its inputs.
cv::Mat view(const Image& image) {
  return cv::Mat(image.height, image.width, CV_8UC3, const_cast<uint8_t*>(image.rgb.data()));
}

Image to_image(const cv::Mat& picture, int conversion) {
  Image image{picture.cols, picture.rows, std::vector<uint8_t>(3 * picture.total())};
  cv::Mat rgb = view(image);
  cv::cvtColor(picture, rgb, conversion);
  return image;
}

// TIFF, BMP, WebP and PNM.
Image decode_by_opencv(std::span<const std::byte> bytes, const std::string& name,
                       const char* format) {
  prepare_opencv();
  const cv::Mat buffer(1, static_cast<int>(bytes.size()), CV_8U,
                       const_cast<std::byte*>(bytes.data()));
  try {
    const cv::Mat picture = to_8_bits(cv::imdecode(buffer, cv::IMREAD_UNCHANGED));
    switch (picture.empty() ? 0 : picture.channels()) {
      case 1:
        return to_image(picture, cv::COLOR_GRAY2RGB);
      case 3:
        return to_image(picture, cv::COLOR_BGR2RGB);
      case 4: {
        cv::Mat rgba;
        cv::cvtColor(picture, rgba, cv::COLOR_BGRA2RGBA);
        return flatten_alpha({rgba.data, 4 * rgba.total()}, rgba.cols, rgba.rows);
      }
      default:
        break;
    }
  } catch (const cv::Exception&) {
    // Falls through to the one message: OpenCV's text names its source lines, not the fault.
  }
  throw data_error("{}: damaged or unsupported {} data; copy the file again or leave it out", name,
                   format);
}

// Undoes what EXIF orientation 1 .. 8 says about how the picture was stored.
Image upright(Image image, int orientation) {
  if (orientation < 2 || orientation > 8) return image;
  const cv::Mat stored = view(image);
  cv::Mat turned;
  if (orientation >= 5)
    cv::transpose(stored, turned);
  else
    turned = stored;
  // After the transposition: 5 is done, 6 needs left and right swapped, 7 both, 8 top and bottom.
  constexpr int kNone = 2, kFlip[] = {kNone, kNone, 1, -1, 0, kNone, 1, -1, 0};
  if (kFlip[orientation] != kNone) {
    cv::Mat flipped;
    cv::flip(turned, flipped, kFlip[orientation]);
    turned = flipped;
  }
  const uint8_t* begin = turned.data;
  return {turned.cols, turned.rows, std::vector<uint8_t>(begin, begin + 3 * turned.total())};
}

Image decode_stored(std::span<const std::byte> bytes, const std::string& name,
                    PictureFormat format) {
  if (format == PictureFormat::kJpeg) return decode_jpeg(bytes, name);
  if (format == PictureFormat::kPng) return decode_png(bytes, name);
  return decode_by_opencv(bytes, name, format_name(format));
}

}  // namespace

Image decode_image(std::span<const std::byte> bytes, const std::string& name,
                   const DecodeOptions& options) {
  OptionsOf<DecodeOptions>(options).validate("image");
  prepare_opencv();
  const PictureFormat format = check_header(bytes, name);
  return shrink(upright(decode_stored(bytes, name, format), exif_orientation(bytes, format)),
                options.longest_side_px);
}

Image shrink(Image image, int longest_side_px) {
  const int longest = std::max(image.width, image.height);
  if (longest_side_px == 0 || longest <= longest_side_px) return image;
  const double factor = static_cast<double>(longest_side_px) / longest;
  const auto side = [&](int length) {
    return std::max(1, static_cast<int>(std::lround(length * factor)));
  };
  Image out{side(image.width), side(image.height), {}};
  out.rgb.resize(size_t{3} * out.width * out.height);
  cv::Mat target = view(out);
  cv::resize(view(image), target, target.size(), 0, 0, cv::INTER_AREA);
  return out;
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

namespace {

std::vector<std::byte> encode(const Image& image, const char* extension,
                              const std::vector<int>& parameters) {
  MUSTER_CHECK(image.width > 0 && image.height > 0);
  prepare_opencv();
  cv::Mat bgr;
  cv::cvtColor(view(image), bgr, cv::COLOR_RGB2BGR);
  std::vector<uint8_t> out;
  MUSTER_CHECK(cv::imencode(extension, bgr, out, parameters));
  const auto bytes = std::as_bytes(std::span(out));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

std::vector<std::byte> encode_png(const Image& image) { return encode(image, ".png", {}); }

std::vector<std::byte> encode_jpeg(const Image& image, int quality) {
  return encode(image, ".jpg", {cv::IMWRITE_JPEG_QUALITY, quality});
}

}  // namespace muster
