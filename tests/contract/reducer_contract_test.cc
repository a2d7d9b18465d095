// Every reduction, in every setting.
#include "contract/contract.h"

namespace muster::contract {
namespace {

class EveryReducer : public ::testing::TestWithParam<StageCase> {
 protected:
  std::unique_ptr<Reducer> fit(const Sample& sample, int threads = 1) const {
    const ThreadLimit limit(threads);
    const PlannedStage& stage = GetParam().stage;
    return stage.as<ReducerStage>().fit(*stage.options, sample, Rng(kSeed));
  }
};
INSTANTIATE_TEST_SUITE_P(Contract, EveryReducer, ::testing::ValuesIn(cases_of_kind<ReducerStage>()),
                         case_name);

TEST_P(EveryReducer, SameSeedSameBytesForAnyThreads) {
  const Sample sample = random_sample(6000);
  MUSTER_FIT_OR_SKIP(one, fit(sample, 1));
  expect_same_bytes(saved(*one), saved(*fit(sample, 2)));
}

TEST_P(EveryReducer, SavesAndLoadsExactly) {
  MUSTER_FIT_OR_SKIP(reducer, fit(random_sample(400)));
  const TensorMap map = saved(*reducer);
  const PlannedStage& stage = GetParam().stage;
  const auto loaded = stage.as<ReducerStage>().load(*stage.options, kDim, TensorReader(map));
  EXPECT_EQ(loaded->input_dim(), reducer->input_dim());
  EXPECT_EQ(loaded->output_dim(), reducer->output_dim());
  for (const VectorSet& set : random_sets(6)) EXPECT_EQ(loaded->apply(set), reducer->apply(set));
  expect_same_bytes(saved(*loaded), map);
}

TEST_P(EveryReducer, TreatsEveryVectorAlone) {
  MUSTER_FIT_OR_SKIP(reducer, fit(random_sample(400)));
  const VectorSet set = random_set(37, 5);
  const VectorSet after = shuffled(reducer->apply(set)), before = reducer->apply(shuffled(set));
  EXPECT_LT(relative_difference(after.vectors.values(), before.vectors.values()), 1e-5);
  EXPECT_EQ(after.places, before.places);
}

TEST_P(EveryReducer, SurvivesDegenerateSets) {
  MUSTER_FIT_OR_SKIP(reducer, fit(random_sample(400)));
  EXPECT_EQ(reducer->input_dim(), kDim);
  for (const NamedSet& tested : degenerate_sets()) {
    SCOPED_TRACE(tested.name);
    const VectorSet out = reducer->apply(tested.set);
    EXPECT_EQ(out.size(), tested.set.size());
    EXPECT_EQ(out.dim(), reducer->output_dim());
    EXPECT_EQ(out.places, tested.set.places);
    EXPECT_TRUE(all_finite(out.vectors.values()));
  }
}

// Too little to learn from is refused in words, or learned from all the same.
TEST_P(EveryReducer, SurvivesDegenerateSamples) {
  for (const NamedSet& tested : degenerate_sets()) {
    SCOPED_TRACE(tested.name);
    const Sample sample{tested.set.vectors, std::vector<int>(tested.set.size(), 0), 3};
    try {
      EXPECT_TRUE(all_finite(fit(sample)->apply(random_set(10, 6)).vectors.values()));
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(GetParam().entry->name), std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace muster::contract
