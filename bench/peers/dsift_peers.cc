// Dense SIFT side by side: ours, VLFeat's vl_dsift (fast, flat-window mode) and OpenCV's SIFT on
// the same grid; patches of 16 pixels every 8, one thread, pictures in memory.
//   dsift_peers [OUT.json] [ROUNDS]
extern "C" {
#include <vl/dsift.h>
}

#include <filesystem>
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>

#include "muster/features/dsift.h"
#include "muster/image/decode.h"
#include "peers/side_by_side.h"

namespace muster::bench {
namespace {

constexpr int kStep = 8, kSize = 16, kWidth = 300, kHeight = 250;

// Sixteen pictures of scene-15, brought to 300 x 250 pixels (most are near).
std::vector<Image> real_pictures() {
  namespace fs = std::filesystem;
  const char* folder = std::getenv("MUSTER_DATA");
  const fs::path root = fs::path(folder ? folder : MUSTER_DEFAULT_DATA) / "scene-15";
  if (!fs::is_directory(root)) return {};
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(root))
    if (entry.is_regular_file() && entry.path().extension() == ".jpg")
      files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<Image> out;
  for (size_t i = 0; i < 16 && !files.empty(); ++i) {
    Image image = read_image(files[i * files.size() / 16], {.longest_side_px = 0});
    Image& resized =
        out.emplace_back(Image{kWidth, kHeight, std::vector<uint8_t>(3 * kWidth * kHeight)});
    cv::Mat target(kHeight, kWidth, CV_8UC3, resized.rgb.data());
    cv::resize(cv::Mat(image.height, image.width, CV_8UC3, image.rgb.data()), target,
               target.size());
  }
  return out;
}

std::vector<Image> synthetic_pictures() {
  std::vector<Image> out;
  for (int k = 0; k < 8; ++k) {
    Image& image = out.emplace_back(Image{kWidth, kHeight, {}});
    for (int i = 0; i < kWidth * kHeight; ++i) {
      const double x = i % kWidth, y = i / kWidth;
      const double value =
          128 + 60 * std::sin(0.3 * x + 0.01 * (k + 1) * x * y / 10) + 50 * std::cos(0.2 * y);
      image.rgb.insert(image.rgb.end(), 3, static_cast<uint8_t>(value));
    }
  }
  return out;
}

// VLFeat and OpenCV start from grey pictures; ours is timed from colour.
struct Pictures {
  std::vector<Image> colour;
  std::vector<Matrix<float>> grey_float;
  std::vector<cv::Mat> grey_8;
};

Contender ours(const Pictures& pictures, const char* name, SiftWindow window) {
  const std::shared_ptr<Extractor> dsift =
      make_dsift({.step = kStep, .size = {kSize}, .window = window});
  return {name, [&pictures, dsift] {
            for (const Image& image : pictures.colour) {
              const VectorSet set = dsift->extract(image);
              if (set.size() == 0) std::abort();
            }
          }};
}

Contender vlfeat(const Pictures& pictures, const char* name, bool flat) {
  // The filter and its buffers are kept, as a user with pictures of one size would.
  const std::shared_ptr<VlDsiftFilter> filter(vl_dsift_new_basic(kWidth, kHeight, kStep, kSize / 4),
                                              vl_dsift_delete);
  vl_dsift_set_flat_window(filter.get(), flat);
  return {name, [&pictures, filter] {
            for (const Matrix<float>& image : pictures.grey_float)
              vl_dsift_process(filter.get(), image.data());
          }};
}

Contender opencv(const Pictures& pictures) {
  return {"OpenCV SIFT on the grid", [&pictures, sift = cv::SIFT::create()] {
            for (const cv::Mat& image : pictures.grey_8) {
              std::vector<cv::KeyPoint> grid;
              for (int y = kSize / 2; y + kSize / 2 <= image.rows; y += kStep)
                for (int x = kSize / 2; x + kSize / 2 <= image.cols; x += kStep)
                  grid.emplace_back(static_cast<float>(x), static_cast<float>(y), kSize / 4.0f,
                                    0.0f);
              cv::Mat descriptors;
              sift->compute(image, grid, descriptors);
            }
          }};
}

int run(int argc, char** argv) {
  cv::setNumThreads(0);
  Pictures pictures{real_pictures(), {}, {}};
  const bool real = !pictures.colour.empty();
  if (!real) pictures.colour = synthetic_pictures();
  for (const Image& image : pictures.colour) {
    pictures.grey_float.push_back(grey(image));
    cv::Mat& grey_8 = pictures.grey_8.emplace_back();
    cv::Mat(kHeight, kWidth, CV_32F, pictures.grey_float.back().data()).convertTo(grey_8, CV_8U);
  }
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 30;
  const auto timings =
      alternate({ours(pictures, "muster dsift", DsiftOptions().window),
                 ours(pictures, "muster dsift, flat window", SiftWindow::kFlat),
                 vlfeat(pictures, "VLFeat vl_dsift, fast (flat window)", true),
                 vlfeat(pictures, "VLFeat vl_dsift, Gaussian window", false), opencv(pictures)},
                rounds);
  std::printf("dense SIFT, %d/%d, %zu %s pictures of %d x %d, one thread, %d rounds\n", kSize,
              kStep, pictures.colour.size(), real ? "real" : "synthetic", kWidth, kHeight, rounds);
  print_table(timings, static_cast<double>(pictures.colour.size()), "picture");
  if (argc > 1) {
    write_json(argv[1], {{"benchmark", "dsift"},
                         {"pictures", pictures.colour.size()},
                         {"real", real},
                         {"machine", machine_facts()},
                         {"results", to_json(timings)}});
  }
  return 0;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) { return muster::bench::run(argc, argv); }
