#include "muster/explain/place_map.h"

#include <gtest/gtest.h>

#include <numeric>

#include "support/trained.h"

namespace muster {
namespace {

// One vector at a place of a set in memory.
double map_sum(const Matrix<double>& map) {
  return std::accumulate(map.data(), map.data() + map.size(), 0.0);
}

struct Placed {
  Matrix<float> vectors, places;
  SetView view;

  explicit Placed(std::vector<std::array<float, 3>> at)
      : vectors(at.size(), 5), places(at.size(), 3) {
    for (size_t i = 0; i < at.size(); ++i) std::ranges::copy(at[i], places.row(i).begin());
    view = {.vectors = vectors.data(), .rows = at.size(), .dim = 5, .places = places.data()};
  }
};

class PlaceMap : public testing::Test {
 protected:
  Matrix<double> map_of(const Placed& placed, const std::vector<double>& values, int side) {
    const ItemVectors vectors(ensemble_, InputSource{Inputs(std::span(&placed.view, 1))}, 0);
    return place_map(vectors, values, side);
  }

  LabelledSets sets_{12};
  Ensemble ensemble_ = fit_ensemble("bow:words=3/linear-svm:C=1", sets_.views, sets_.labels);
};

TEST_F(PlaceMap, AddsUpToTheEvidenceEvenAtTheEdges) {
  Rng rng(1);
  std::vector<std::array<float, 3>> at;
  std::vector<double> values;
  for (int i = 0; i < 50; ++i) {
    at.push_back({static_cast<float>(rng.uniform()), static_cast<float>(rng.uniform()),
                  static_cast<float>(rng.uniform(0, 0.4))});
    values.push_back(rng.normal());
  }
  at.insert(at.end(), {{0, 0, 0.2f}, {1, 1, 0}, {1, 0, 1}});
  values.insert(values.end(), {1, 2, 3});
  for (const int side : {1, 7, 64})
    EXPECT_NEAR(map_sum(map_of(Placed(at), values, side)),
                std::accumulate(values.begin(), values.end(), 0.0), 1e-9);
}

TEST_F(PlaceMap, PutsEachValueAroundItsPatchAndNowhereElse) {
  const Matrix<double> map = map_of(Placed({{0.75f, 0.25f, 0.25f}}), {-2}, 16);
  ASSERT_EQ(map.rows(), 16u);
  ASSERT_EQ(map.cols(), 16u);
  for (size_t r = 0; r < 16; ++r)
    for (size_t c = 0; c < 16; ++c) {
      const bool near_patch = r < 10 && c >= 6;  // 1.5 patches around it
      if (near_patch)
        EXPECT_LT(map(r, c), 0);
      else
        EXPECT_EQ(map(r, c), 0);
    }
  EXPECT_LT(map(3, 11), map(2, 10)) << "the middle has more than the corner";
  const auto along = [&](size_t c) { return map(3, c); };
  EXPECT_NEAR((along(8) + along(9)) / (along(11) + along(12)), 0.5, 0.03)
      << "half at three quarters of the patch's width";
}

TEST_F(PlaceMap, HasThePicturesShape) {
  const SynthPictures pictures(2, 3, 96, 48, 1);
  const Ensemble ensemble =
      fit_ensemble("dsift/bow:words=3/linear-svm:C=1", pictures.views, pictures.labels);
  const ItemVectors vectors(ensemble, InputSource{Inputs(pictures.views)}, 0);
  const Matrix<double> map = place_map(vectors, std::vector<double>(vectors.size(), 1), 32);
  EXPECT_EQ(map.cols(), 32u);
  EXPECT_EQ(map.rows(), 16u);
}

}  // namespace
}  // namespace muster
