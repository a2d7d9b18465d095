#include "muster/explain/regions.h"

#include <gtest/gtest.h>

#include <set>

#include "support/trained.h"

namespace muster {
namespace {

constexpr const char* kRecipe = "bow:words=3/linear-svm:C=1";

void expect_all_used(const Regions& regions) {
  const std::set<uint32_t> used(regions.of_vector.begin(), regions.of_vector.end());
  EXPECT_EQ(used.size(), regions.count);
  EXPECT_EQ(used.empty() ? 0 : *used.rbegin() + 1, regions.count);
}

TEST(Regions, OfASmallSetAreItsVectors) {
  const LabelledSets sets(12);
  const Ensemble ensemble = fit_ensemble(kRecipe, sets.views, sets.labels);
  const ItemVectors vectors(ensemble, InputSource{Inputs(sets.views)}, 0);
  const Regions regions = find_regions(vectors, 8);
  EXPECT_EQ(regions.count, vectors.size());
  expect_all_used(regions);
}

TEST(Regions, WithoutPlacesAreGroupsOfSimilarVectors) {
  const LabelledSets sets(12);
  const Ensemble ensemble = fit_ensemble(kRecipe, sets.views, sets.labels);
  Matrix<float> two_heaps(200, 5);
  for (size_t i = 0; i < 200; ++i) two_heaps(i, 0) = (i % 2 == 0 ? 0.0f : 100.0f) + 0.001f * i;
  const SetView view{.vectors = two_heaps.data(), .rows = 200, .dim = 5};
  const ItemVectors vectors(ensemble, InputSource{Inputs(std::span(&view, 1))}, 0);
  const Regions regions = find_regions(vectors, 4);
  EXPECT_GT(regions.count, 2u);
  EXPECT_LE(regions.count, 16u);
  expect_all_used(regions);
  std::set<uint32_t> even, odd;
  for (size_t i = 0; i < 200; ++i) (i % 2 == 0 ? even : odd).insert(regions.of_vector[i]);
  for (const uint32_t region : even) EXPECT_FALSE(odd.contains(region));
}

TEST(Regions, OfAPictureAreItsCells) {
  const SynthPictures pictures(2, 3, 96, 48, 1);
  const Ensemble ensemble =
      fit_ensemble("dsift:step=4,size=8/bow:words=3+lbp:step=4/bow:words=3//linear-svm:C=1",
                   pictures.views, pictures.labels);
  const ItemVectors vectors(ensemble, InputSource{Inputs(pictures.views)}, 0);
  EXPECT_EQ(vectors.num_features(), 2u);
  const Regions regions = find_regions(vectors, 3);
  EXPECT_EQ(regions.count, 9u);
  expect_all_used(regions);
  // Both features at one place are left out together.
  std::map<std::pair<int, int>, std::set<uint32_t>> by_cell;
  for (size_t f = 0; f < 2; ++f)
    for (size_t i = 0; i < vectors.set(f).size(); ++i) {
      const auto place = vectors.set(f).places.row(i);
      by_cell[{static_cast<int>(place[0] * 3), static_cast<int>(place[1] * 3)}].insert(
          regions.of_vector[vectors.begin(f) + i]);
    }
  EXPECT_EQ(by_cell.size(), 9u);
  for (const auto& [cell, numbers] : by_cell) EXPECT_EQ(numbers.size(), 1u);
}

}  // namespace
}  // namespace muster
