// Dense SIFT side by side: ours, VLFeat's vl_dsift (fast, flat-window mode) and OpenCV's SIFT on
// the same grid; patches of 16 pixels every 8, pictures in memory.
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

Contender ours(const Pictures& pictures, const char* name, SiftWindow window, Role role) {
  const std::shared_ptr<Extractor> dsift =
      make_dsift({.step = kStep, .size = {kSize}, .window = window});
  return {name,
          [&pictures, dsift] {
            for (const Image& image : pictures.colour) {
              const VectorSet set = dsift->extract(image);
              if (set.size() == 0) std::abort();
            }
          },
          role};
}

using VlFilter = std::unique_ptr<VlDsiftFilter, void (*)(VlDsiftFilter*)>;

VlFilter vl_filter(int step) {
  VlFilter filter(vl_dsift_new_basic(kWidth, kHeight, step, kSize / 4), vl_dsift_delete);
  vl_dsift_set_flat_window(filter.get(), VL_TRUE);  // its fast mode
  return filter;
}

Contender vlfeat(const Pictures& pictures) {
  // The filter and its buffers are kept, as a user with pictures of one size would.
  const std::shared_ptr<VlDsiftFilter> filter = vl_filter(kStep);
  return {"VLFeat vl_dsift, fast (flat window)",
          [&pictures, filter] {
            for (const Matrix<float>& image : pictures.grey_float)
              vl_dsift_process(filter.get(), image.data());
          },
          Role::kPeer};
}

Contender opencv(const Pictures& pictures) {
  return {"OpenCV SIFT on the grid",
          [&pictures, sift = cv::SIFT::create()] {
            for (const cv::Mat& image : pictures.grey_8) {
              std::vector<cv::KeyPoint> grid;
              for (int y = kSize / 2; y + kSize / 2 <= image.rows; y += kStep)
                for (int x = kSize / 2; x + kSize / 2 <= image.cols; x += kStep)
                  grid.emplace_back(static_cast<float>(x), static_cast<float>(y), kSize / 4.0f,
                                    0.0f);
              cv::Mat descriptors;
              sift->compute(image, grid, descriptors);
            }
          },
          Role::kPeer};
}

double cosine(std::span<const float> a, const float* b) {
  double ab = 0, aa = 0, bb = 0;
  for (size_t t = 0; t < a.size(); ++t) {
    ab += static_cast<double>(a[t]) * b[t];
    aa += static_cast<double>(a[t]) * a[t];
    bb += static_cast<double>(b[t]) * b[t];
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 1;
}

// Mean cosine of our descriptors and VLFeat's at the same patches (its grid on every pixel: the two
// place theirs differently, and its patches are half a pixel off ours at best).
double mean_cosine(const Pictures& pictures) {
  const auto dsift = make_dsift({.step = kStep, .size = {kSize}});
  const VlFilter filter = vl_filter(1);
  double sum = 0;
  size_t count = 0;
  for (size_t k = 0; k < pictures.colour.size(); ++k) {
    const VectorSet set = dsift->extract(pictures.colour[k]);
    vl_dsift_process(filter.get(), pictures.grey_float[k].data());
    const float* theirs = vl_dsift_get_descriptors(filter.get());
    for (size_t i = 0; i < set.size(); ++i, ++count) {
      // VLFeat calls a patch by the centre of its first cell, 2 pixels into ours.
      const auto x = std::lround(set.places(i, 0) * kWidth - kSize / 2) + 2;
      const auto y = std::lround(set.places(i, 1) * kHeight - kSize / 2) + 2;
      const auto patch = static_cast<size_t>(y * (kWidth - 3 * kSize / 4) + x);
      sum += cosine(set.vectors.row(i), theirs + 128 * patch);
    }
  }
  return sum / static_cast<double>(count);
}

// Every picture several times, since threads would hardly have started otherwise; gives the sets
// of the first pass.
std::vector<VectorSet> on_threads(const Pictures& pictures) {
  const auto dsift = make_dsift({.step = kStep, .size = {kSize}});
  constexpr size_t kPasses = 8;
  const size_t count = pictures.colour.size();
  std::vector<VectorSet> out(count);
  parallel_for(kPasses * count, 1, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      VectorSet set = dsift->extract(pictures.colour[i % count]);
      if (i < count) out[i] = std::move(set);
    }
  });
  return out;
}

}  // namespace

void race(Record& record, const Arguments& args) {
  const int rounds = args.rounds_or(11);
  cv::setNumThreads(0);
  Pictures pictures{real_pictures(), {}, {}};
  const bool real = !pictures.colour.empty();
  if (!real) pictures.colour = synthetic_pictures();
  for (const Image& image : pictures.colour) {
    pictures.grey_float.push_back(grey(image));
    cv::Mat& grey_8 = pictures.grey_8.emplace_back();
    cv::Mat(kHeight, kWidth, CV_32F, pictures.grey_float.back().data()).convertTo(grey_8, CV_8U);
  }
  record.race({"dense SIFT",
               std::string("patches of 16 every 8 pixels, ") + (real ? "real" : "synthetic") +
                   " pictures of 300 x 250",
               "picture", static_cast<double>(pictures.colour.size())},
              {ours(pictures, "muster dsift", DsiftOptions().window, Role::kOurs),
               ours(pictures, "muster dsift, flat window", SiftWindow::kFlat, Role::kOther),
               vlfeat(pictures), opencv(pictures)},
              rounds);
  const double cosine = mean_cosine(pictures);
  record.agree(cosine > 0.95, "mean cosine of our descriptors and VLFeat's " + rounded(cosine, 5));
  std::vector<VectorSet> sets;
  record.compare_threads([&] { sets = on_threads(pictures); },
                         [&] {
                           std::string out;
                           for (const VectorSet& set : sets) out += bytes_of(set.vectors.values());
                           return out;
                         },
                         rounds);
}

}  // namespace muster::bench
