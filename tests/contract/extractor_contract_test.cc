// Every extractor on every kind of picture.
#include "contract/contract.h"
#include "muster/draw/synth.h"
#include "support/pictures.h"

namespace muster::contract {
namespace {

class EveryExtractor : public ::testing::TestWithParam<StageCase> {
 protected:
  std::unique_ptr<Extractor> make() const {
    return GetParam().stage.as<ExtractorStage>().make(*GetParam().stage.options);
  }
};
INSTANTIATE_TEST_SUITE_P(Contract, EveryExtractor,
                         ::testing::ValuesIn(cases_of_kind<ExtractorStage>()), case_name);

std::vector<Image> pictures() {
  return {synth_image(0, 96, 64, Rng(kSeed)),
          noise_picture(64, 48),
          flat_picture(64, 64, 0),
          flat_picture(40, 30, 255),
          flat_picture(1, 1, 7),
          noise_picture(3, 5),
          noise_picture(1, 200),
          noise_picture(200, 1),
          noise_picture(16, 16),
          noise_picture(17, 15),
          step_picture(33, 31)};
}

TEST_P(EveryExtractor, GivesFiniteVectorsOfItsDimensionWithPlaces) {
  MUSTER_NETWORK_OR_SKIP(GetParam().entry->name == "dnn");
  const std::unique_ptr<Extractor> extractor = make();
  EXPECT_GT(extractor->dim(), 0u);
  for (const Image& picture : pictures()) {
    SCOPED_TRACE(fmt::format("{} x {}", picture.width, picture.height));
    const VectorSet set = extractor->extract(picture);
    EXPECT_EQ(set.dim(), extractor->dim());
    EXPECT_EQ(set.places.rows(), set.size());
    EXPECT_EQ(set.image_width, picture.width);
    EXPECT_EQ(set.image_height, picture.height);
    EXPECT_TRUE(all_finite(set.vectors.values()));
    for (float place : set.places.values()) EXPECT_TRUE(place >= 0 && place <= 1) << place;
    EXPECT_TRUE(set.has_places() || set.size() == 0);
  }
}

TEST_P(EveryExtractor, GivesTheSameSetEveryTimeOnAnyThread) {
  MUSTER_NETWORK_OR_SKIP(GetParam().entry->name == "dnn");
  const std::unique_ptr<Extractor> extractor = make();
  const Image picture = synth_image(1, 96, 96, Rng(kSeed));
  const VectorSet expected = extractor->extract(picture);
  EXPECT_GT(expected.size(), 0u);
  std::vector<VectorSet> again(8);
  const ThreadLimit two(2);
  parallel_for(again.size(), 1,
               [&](size_t begin, size_t) { again[begin] = make()->extract(picture); });
  for (const VectorSet& set : again) EXPECT_EQ(set, expected);
}

}  // namespace
}  // namespace muster::contract
