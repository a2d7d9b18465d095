#include "muster/explain/curves.h"

#include <gtest/gtest.h>

#include "muster/explain/place_map.h"
#include "support/telling.h"
#include "support/trained.h"

namespace muster {
namespace {

TEST(Curves, AreaIsThatOfTheTrapezoids) {
  EXPECT_DOUBLE_EQ(area_under(std::vector<double>{1, 1, 1}), 1);
  EXPECT_DOUBLE_EQ(area_under(std::vector<double>{1, 0}), 0.5);
  EXPECT_DOUBLE_EQ(area_under(std::vector<double>{1, 0, 0, 0, 0}), 0.125);
}

TEST(Curves, BeginAndEndWithTheWholeAndTheEmptySet) {
  const LabelledSets sets(24);
  const InputSource source{Inputs(sets.views)};
  const Ensemble ensemble = fit_ensemble("bow:words=10/linear-svm:C=10", sets.views, sets.labels);
  const ItemVectors vectors(ensemble, source, 0);
  const auto order = in_random_order(vectors.size(), Rng(1));
  const auto deletion = deletion_curve(ensemble, vectors, 0, order, 5);
  const auto insertion = insertion_curve(ensemble, vectors, 0, order, 5);
  ASSERT_EQ(deletion.size(), 6u);
  EXPECT_NEAR(deletion[0], ensemble.predict(source, std::vector<size_t>{0}, {}).probabilities(0, 0),
              1e-6);
  EXPECT_NEAR(deletion[0], insertion[5], 1e-6);
  EXPECT_NEAR(deletion[5], insertion[0], 1e-6);
}

TEST(Curves, OrdersAreByEvidenceOrByChance) {
  EXPECT_EQ(by_evidence(std::vector<double>{1, 3, -2, 3}), (std::vector<size_t>{1, 3, 0, 2}));
  auto order = in_random_order(100, Rng(1));
  EXPECT_NE(order, in_random_order(100, Rng(2)));
  std::ranges::sort(order);
  for (size_t i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
}

// Sums of areas over the pictures that a model names correctly.
struct Areas {
  double deletion = 0, random_deletion = 0, insertion = 0, random_insertion = 0;
  size_t right = 0, in_place = 0;
};

// Whether the strongest cell of the map lies on the object that tells the class.
bool peak_in_place(const ItemVectors& vectors, const Evidence& evidence,
                   const TellingPicture& picture) {
  const Matrix<double> map = place_map(vectors, evidence.values, 64);
  const auto peak =
      static_cast<size_t>(std::max_element(map.data(), map.data() + map.size()) - map.data());
  const auto middle = [](size_t cell, size_t cells, int length) {
    return (static_cast<double>(cell) + 0.5) / static_cast<double>(cells) * length;
  };
  return picture.tells(middle(peak % map.cols(), map.cols(), picture.image.width),
                       middle(peak / map.cols(), map.rows(), picture.image.height));
}

Areas measure(const Ensemble& ensemble, const TellingPictures& tested) {
  const InputSource source{Inputs(tested.views)};
  const Predictions said = ensemble.predict(source, all_items_of(source), {});
  Areas out;
  for (size_t item = 0; item < tested.pictures.size(); ++item) {
    const auto scores = said.scores.row(item);
    const auto c = static_cast<size_t>(std::ranges::max_element(scores) - scores.begin());
    if (static_cast<int>(c) != tested.labels.first(item)) continue;
    const ItemVectors vectors(ensemble, source, item);
    const Evidence evidence = find_evidence(ensemble, vectors, {c, {}}, {}, {});
    const auto order = by_evidence(evidence.values);
    const auto chance = in_random_order(vectors.size(), Rng(item));
    out.deletion += area_under(deletion_curve(ensemble, vectors, c, order, 10));
    out.random_deletion += area_under(deletion_curve(ensemble, vectors, c, chance, 10));
    out.insertion += area_under(insertion_curve(ensemble, vectors, c, order, 10));
    out.random_insertion += area_under(insertion_curve(ensemble, vectors, c, chance, 10));
    out.in_place += peak_in_place(vectors, evidence, tested.pictures[item]) ? 1 : 0;
    ++out.right;
  }
  return out;
}

// The methods that explanations are measured by, in sizes that fit the pictures.
TEST(Curves, EvidenceIsActedOnAndLiesInTheRightPlace) {
  const TellingPictures training(3, 40, 1), tested(3, 8, 2);
  for (const char* recipe : {"dsift:step=6/bow:words=300/linear-svm",
                             "dsift:step=6/root/emk-fourier:dim=300,gamma=5/linear-svm",
                             "dsift:step=6/root/pca:dim=32/fisher:components=16/linear-svm",
                             "dsift:step=6/spm:words=100/kernel-svm",
                             "dsift:step=6/pca:dim=10/pmk:pyramids=2/kernel-svm"}) {
    SCOPED_TRACE(recipe);
    const Areas areas = measure(fit_ensemble(recipe, training.views, training.labels), tested);
    EXPECT_GE(areas.right, 16u);
    EXPECT_LE(areas.deletion, 0.7 * areas.random_deletion);
    EXPECT_GT(areas.insertion, areas.random_insertion);
    EXPECT_GE(static_cast<double>(areas.in_place), 0.85 * static_cast<double>(areas.right));
  }
}

}  // namespace
}  // namespace muster
