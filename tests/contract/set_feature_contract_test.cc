// Every set feature, in every setting.
#include "contract/contract.h"

namespace muster::contract {
namespace {

class EverySetFeature : public ::testing::TestWithParam<StageCase> {
 protected:
  std::shared_ptr<const SetFeature> fit(const Sample& sample, int threads = 1) const {
    const ThreadLimit limit(threads);
    const PlannedStage& stage = GetParam().stage;
    return std::make_shared<SetFeature>(
        stage.as<SetFeatureStage>().fit(*stage.options, sample, Rng(kSeed), {}));
  }
};
INSTANTIATE_TEST_SUITE_P(Contract, EverySetFeature,
                         ::testing::ValuesIn(cases_of_kind<SetFeatureStage>()), case_name);

std::vector<float> encode(const SetFeature& feature, const VectorSet& set) {
  std::vector<float> out(feature.dim(), std::nanf(""));  // what is not written shows
  feature.encode(set, out);
  return out;
}

TEST_P(EverySetFeature, SameSeedSameBytesForAnyThreads) {
  const Sample sample = random_sample(6000);
  MUSTER_FIT_OR_SKIP(one, fit(sample, 1));
  const auto two = fit(sample, 2);
  expect_same_bytes(saved(*one), saved(*two));
  for (const VectorSet& set : random_sets(6)) EXPECT_EQ(encode(*one, set), encode(*two, set));
}

TEST_P(EverySetFeature, AnotherSeedIsStillAGoodFit) {
  const PlannedStage& stage = GetParam().stage;
  MUSTER_FIT_OR_SKIP(first, fit(random_sample(400)));
  const SetFeature other =
      stage.as<SetFeatureStage>().fit(*stage.options, random_sample(400), Rng(kSeed + 1), {});
  EXPECT_EQ(other.dim(), first->dim());
  EXPECT_TRUE(all_finite(encode(other, random_set(20, 1))));
}

TEST_P(EverySetFeature, SavesAndLoadsExactly) {
  MUSTER_FIT_OR_SKIP(feature, fit(random_sample(400)));
  const TensorMap map = saved(*feature);
  const PlannedStage& stage = GetParam().stage;
  const SetFeature loaded = stage.as<SetFeatureStage>().load(*stage.options, TensorReader(map));
  ASSERT_EQ(loaded.dim(), feature->dim());
  EXPECT_EQ(loaded.input_dim(), feature->input_dim());
  for (const VectorSet& set : random_sets(6)) EXPECT_EQ(encode(loaded, set), encode(*feature, set));
  expect_same_bytes(saved(loaded), map);
}

// A square root makes of a rounding error of 1e-9 in a value near 0 one of 3e-5: it is taken back
// before comparing.
std::vector<float> without_root(std::vector<float> values, const PlannedStage& stage) {
  if (stage.full_spec().text().find("power=0.5") != std::string::npos)
    for (float& value : values) value *= std::abs(value);
  return values;
}

// To the rounding of single-precision sums, which emk-cksvd multiplies by the inverse root of an
// ill-conditioned matrix (1.03e-5 was seen with kernel=chi2).
TEST_P(EverySetFeature, OrderDoesNotMatter) {
  MUSTER_FIT_OR_SKIP(feature, fit(random_sample(400)));
  for (size_t size : {2u, 17u, 300u}) {
    const VectorSet set = random_set(size, size);
    const auto encoded = [&](const VectorSet& one) {
      return without_root(encode(*feature, one), GetParam().stage);
    };
    EXPECT_LT(relative_difference(encoded(set), encoded(shuffled(set))), 3e-5) << size;
  }
}

TEST_P(EverySetFeature, SurvivesDegenerateSets) {
  MUSTER_FIT_OR_SKIP(feature, fit(random_sample(400)));
  EXPECT_EQ(feature->input_dim(), kDim);
  for (const NamedSet& tested : degenerate_sets())
    EXPECT_TRUE(all_finite(encode(*feature, tested.set))) << tested.name;
  for (float value : encode(*feature, degenerate_sets()[0].set))
    EXPECT_EQ(value, 0) << "of an empty set";
}

TEST_P(EverySetFeature, SurvivesDegenerateSamples) {
  for (const NamedSet& tested : degenerate_sets()) {
    SCOPED_TRACE(tested.name);
    const Sample sample{tested.set.vectors, std::vector<int>(tested.set.size(), 0), 3};
    try {
      EXPECT_TRUE(all_finite(encode(*fit(sample), random_set(10, 6))));
    } catch (const Error& error) {
      EXPECT_FALSE(std::string(error.what()).empty());
    }
  }
}

// The set many times over, so that one vector is a small change; all in one cell.
VectorSet repeated(const VectorSet& set, size_t times) {
  std::vector<size_t> rows;
  for (size_t k = 0; k < times; ++k)
    for (size_t i = 0; i < set.size(); ++i) rows.push_back(i);
  VectorSet out = set;
  out.vectors = select_rows(set.vectors.view(), rows);
  out.places = Matrix<float>(rows.size(), 3);
  return out;
}

// Vector i has weight i % 3.
VectorSet weighted(VectorSet set) {
  for (size_t i = 0; i < set.size(); ++i) set.weights.push_back(static_cast<float>(i % 3));
  return set;
}

// Each vector as often as its weight says.
VectorSet as_copies(const VectorSet& set) {
  std::vector<size_t> rows;
  for (size_t i = 0; i < set.size(); ++i)
    rows.insert(rows.end(), static_cast<size_t>(set.weights[i]), i);
  VectorSet out = set;
  out.weights.clear();
  out.vectors = select_rows(set.vectors.view(), rows);
  out.places = select_rows(set.places.view(), rows);
  return out;
}

TEST_P(EverySetFeature, AWeightIsANumberOfCopies) {
  MUSTER_FIT_OR_SKIP(feature, fit(random_sample(400)));
  const VectorSet set = weighted(random_set(60, 7));
  const auto encoded = [&](const VectorSet& one) {
    return without_root(encode(*feature, one), GetParam().stage);
  };
  EXPECT_LT(relative_difference(encoded(set), encoded(as_copies(set))), 2e-4);
  VectorSet halved = set;
  for (float& weight : halved.weights) weight *= 0.25f;
  EXPECT_TRUE(all_finite(encode(*feature, halved)));
}

std::vector<double> random_gradient(size_t dim) {
  Rng rng(3);
  std::vector<double> out(dim);
  for (double& value : out) value = rng.normal();
  return out;
}

double product(const std::vector<double>& gradient, const std::vector<float>& vector) {
  double out = 0;
  for (size_t t = 0; t < gradient.size(); ++t) out += gradient[t] * static_cast<double>(vector[t]);
  return out;
}

// But for powers, whose slopes are rounded off for larger changes than this (evidence_test.cc tests
// what they tell).
TEST_P(EverySetFeature, SharesAreWhatAVectorChanges) {
  if (GetParam().stage.full_spec().text().find("power=1") == std::string::npos) return;
  MUSTER_FIT_OR_SKIP(feature, fit(random_sample(400)));
  const std::vector<double> gradient = random_gradient(feature->dim());
  const VectorSet set = repeated(random_set(12, 5), 40);
  const std::vector<double> shares = feature->shares(set, gradient);
  const double whole = product(gradient, encode(*feature, set));
  double error = 0, size = 0;
  for (size_t i = 1; i < 12; ++i) {  // one copy of vector 0 becomes vector i
    VectorSet other = set;
    std::ranges::copy(set.vectors.row(i), other.vectors.row(0).begin());
    const double change = product(gradient, encode(*feature, other)) - whole;
    error += std::pow(change - (shares[i] - shares[0]), 2);
    size += std::pow(change, 2);
  }
  EXPECT_LT(error, 0.01 * size + 1e-8);
}

TEST_P(EverySetFeature, SharesOfAnAdditiveOneAddUp) {
  MUSTER_FIT_OR_SKIP(feature, fit(random_sample(400)));
  const std::vector<double> gradient = random_gradient(feature->dim());
  std::vector<VectorSet> sets = random_sets(6);
  for (size_t i = 0; i < 6; ++i) sets.push_back(weighted(sets[i]));
  for (const VectorSet& set : sets) {
    const std::vector<double> shares = feature->shares(set, gradient);
    ASSERT_EQ(shares.size(), set.size());
    EXPECT_TRUE(all_finite(shares));
    if (!feature->additive()) continue;
    double sum = 0, magnitude = 0;
    const std::vector<float> vector = encode(*feature, set);
    for (const double share : shares) sum += share;
    for (size_t t = 0; t < gradient.size(); ++t)
      magnitude += std::abs(gradient[t] * static_cast<double>(vector[t]));
    EXPECT_NEAR(sum, product(gradient, vector), 1e-4 * magnitude);
  }
  for (const NamedSet& tested : degenerate_sets())
    EXPECT_TRUE(all_finite(feature->shares(tested.set, gradient))) << tested.name;
}

}  // namespace
}  // namespace muster::contract
