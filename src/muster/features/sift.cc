#include "muster/features/sift.h"

extern "C" {
#include <vl/covdet.h>
}

#include <array>
#include <cmath>
#include <tuple>

#include "muster/features/sift_grid.h"

namespace muster {
namespace {

struct Point {
  float x, y, diameter;  // in pixels
  float response;
  std::array<float, kSiftDim> descriptor;

  auto place() const { return std::tie(y, x, diameter, descriptor); }
};

struct CovdetDeleter {
  void operator()(VlCovDet* detector) const { vl_covdet_delete(detector); }
};
using Covdet = std::unique_ptr<VlCovDet, CovdetDeleter>;

// A SIFT cell is 3 times the scale of the point wide, as Lowe has it: the patch of 4 cells is
// kPatch pixels of the warped neighbourhood, which reaches half a cell and more beyond.
constexpr int kPatch = 40, kRadius = 25, kSide = 2 * kRadius + 1;
constexpr double kExtent = 12.0 * kRadius / kPatch;  // in units of the scale

// Descriptor of the warped neighbourhood of a frame; false if it cannot be warped.
bool describe(VlCovDet* detector, const VlFrameOrientedEllipse& frame,
              std::array<float, kSiftDim>& descriptor) {
  Matrix<float> patch(kSide, kSide);
  const int failed =
      vl_covdet_extract_patch_for_frame(detector, patch.data(), kRadius, kExtent, 1.0, frame);
  if (failed) return false;
  std::vector<SiftGrid> grids;
  grids.emplace_back(kSide, kSide, kPatch, SiftGridOptions{.step = kSide});
  add_gradients(patch, grids);
  alignas(64) float out[kSiftDim];
  grids[0].write(out);
  std::copy_n(out, kSiftDim, descriptor.begin());
  return true;
}

// VLFeat's scale space needs a few pixels; no smaller picture has a point with its neighbourhood.
constexpr int kLeastSide = 16;

// Lowe's settings for DoG: the scale space begins at twice the resolution, and a response is judged
// by the difference of neighbouring scales, of which there are three per octave.
Covdet make_detector(const SiftOptions& options) {
  constexpr int kScalesPerOctave = 3;
  const SiftDetector kind = options.detector;
  const bool is_dog = kind == SiftDetector::kDog;
  const double contrast = options.contrast.value_or(is_dog ? 0.04 : 2e-6);
  Covdet detector(vl_covdet_new(is_dog ? VL_COVDET_METHOD_DOG
                                : kind == SiftDetector::kHarrisMultiscale
                                    ? VL_COVDET_METHOD_MULTISCALE_HARRIS
                                    : VL_COVDET_METHOD_HARRIS_LAPLACE));
  const bool doubled = options.first_octave == FirstOctave::kAuto
                           ? is_dog
                           : options.first_octave == FirstOctave::kDoubled;
  vl_covdet_set_first_octave(detector.get(), doubled ? -1 : 0);
  vl_covdet_set_peak_threshold(detector.get(), is_dog ? contrast / kScalesPerOctave : contrast);
  if (is_dog) vl_covdet_set_non_extrema_suppression_threshold(detector.get(), 0);
  return detector;
}

std::vector<Point> find_points(const Image& image, const SiftOptions& options) {
  if (std::min(image.width, image.height) < kLeastSide) return {};
  Matrix<float> picture = grey(image);
  for (float& value : picture.values()) value /= 255;
  const Covdet detector = make_detector(options);
  if (vl_covdet_put_image(detector.get(), picture.data(), image.width, image.height) != 0)
    throw runtime_failure("sift: out of memory for a picture of {} x {} pixels; shrink it",
                          image.width, image.height);
  vl_covdet_detect(detector.get());
  if (options.detector == SiftDetector::kHarrisAffine)
    vl_covdet_extract_affine_shape(detector.get());
  if (!options.upright) vl_covdet_extract_orientations(detector.get());
  const auto* features =
      static_cast<const VlCovDetFeature*>(vl_covdet_get_features(detector.get()));
  const std::vector<VlCovDetFeature> found(features,
                                           features + vl_covdet_get_num_features(detector.get()));
  std::vector<Point> points;
  for (const VlCovDetFeature& feature : found) {
    const VlFrameOrientedEllipse& f = feature.frame;
    const float scale = std::sqrt(std::abs(f.a11 * f.a22 - f.a12 * f.a21));
    Point point{f.x, f.y, 12 * scale, std::abs(feature.peakScore), {}};
    if (!std::isfinite(scale) || !describe(detector.get(), f, point.descriptor)) continue;
    points.push_back(point);
  }
  return points;
}

class Sift final : public Extractor {
 public:
  explicit Sift(const SiftOptions& options) : options_(options) {}
  size_t dim() const override { return kSiftDim; }

  VectorSet extract(const Image& image) const override {
    std::vector<Point> points = detect(image);
    if (options_.max_features > 0 && points.size() > static_cast<size_t>(options_.max_features)) {
      std::ranges::sort(points, [](const Point& a, const Point& b) {
        return a.response != b.response ? a.response > b.response : a.place() < b.place();
      });
      points.resize(options_.max_features);
    }
    std::ranges::sort(points, [](const Point& a, const Point& b) { return a.place() < b.place(); });
    VectorSet set{Matrix<float>(points.size(), kSiftDim), Matrix<float>(points.size(), 3),
                  image.width, image.height};
    for (size_t i = 0; i < points.size(); ++i) {
      const Point& p = points[i];
      const auto part = [](float value, int length) {
        return std::clamp(value / static_cast<float>(length), 0.0f, 1.0f);
      };
      std::ranges::copy(p.descriptor, set.vectors.row(i).begin());
      // Pixel (0, 0) is centred at (0.5, 0.5).
      set.places(i, 0) = part(p.x + 0.5f, image.width);
      set.places(i, 1) = part(p.y + 0.5f, image.height);
      set.places(i, 2) = part(p.diameter, std::max(image.width, image.height));
    }
    return set;
  }

 private:
  std::vector<Point> detect(const Image& image) const {
    if (image.width < 1 || image.height < 1) return {};
    return find_points(image, options_);
  }

  SiftOptions options_;
};

}  // namespace

std::unique_ptr<Extractor> make_sift(const SiftOptions& options) {
  return make_extractor<Sift>("sift", options);
}

}  // namespace muster
