// Every kernel between sets: set kernels, vector kernels on the vectors of a set feature, and
// transforms of a set kernel.

#include "contract/contract.h"
#include "muster/math/symmetric_eigen.h"

namespace muster::contract {
namespace {

class EveryKernel : public ::testing::TestWithParam<StageCase> {
 protected:
  static bool is_set_kernel() {
    return std::holds_alternative<SetKernelStage>(GetParam().entry->functions);
  }

  static bool is_transform() {
    return std::holds_alternative<KernelTransformStage>(GetParam().entry->functions);
  }

  // What transforms are tested on.
  static const PlannedStage& sum_match() {
    static const StageCase tested = make_case(find_stage("sum-match"));
    return tested.stage;
  }

  static const PlannedStage& bow() {
    static const StageCase tested = make_case(find_stage("bow"));
    return tested.stage;
  }

  std::shared_ptr<const SetKernel> fit(const Sample& sample, int threads = 1) const {
    const ThreadLimit limit(threads);
    const PlannedStage& stage = GetParam().stage;
    if (is_set_kernel())
      return stage.as<SetKernelStage>().fit(*stage.options, sample, Rng(kSeed), {});
    if (is_transform())
      return stage.as<KernelTransformStage>().make(
          *stage.options,
          sum_match().as<SetKernelStage>().fit(*sum_match().options, sample, Rng(kSeed), {}));
    auto feature = std::make_shared<SetFeature>(
        bow().as<SetFeatureStage>().fit(*bow().options, sample, Rng(kSeed), {}));
    return stage.as<FeatureKernelStage>().make(*stage.options, feature);
  }

  std::shared_ptr<const SetKernel> load(const TensorMap& map) const {
    const PlannedStage& stage = GetParam().stage;
    const TensorReader in(map);
    if (is_set_kernel()) return stage.as<SetKernelStage>().load(*stage.options, in);
    if (is_transform())
      return stage.as<KernelTransformStage>().load(
          *stage.options,
          sum_match().as<SetKernelStage>().load(*sum_match().options, in.scope("base")), in);
    auto feature = std::make_shared<SetFeature>(
        bow().as<SetFeatureStage>().load(*bow().options, in.scope("feature")));
    return stage.as<FeatureKernelStage>().load(feature, in);
  }
};
const auto kKernels = cases_of_kind<SetKernelStage, FeatureKernelStage, KernelTransformStage>();
INSTANTIATE_TEST_SUITE_P(Contract, EveryKernel, ::testing::ValuesIn(kKernels), case_name);

Represented represent(const SetKernel& kernel, const std::vector<VectorSet>& sets) {
  Represented out;
  for (const VectorSet& set : sets) out.push_back(kernel.represent(set));
  return out;
}

// Widths settled: the middle one of those on offer.
std::shared_ptr<const SetKernel> settle(const SetKernel& kernel, const Represented& sets) {
  const auto candidates = kernel.candidates(sets);
  return middle_of(candidates);
}

Matrix<double> gram(const SetKernel& kernel, RepresentedSpan a, RepresentedSpan b,
                    int threads = 1) {
  const ThreadLimit limit(threads);
  Matrix<double> out(a.size(), b.size());
  for (double& value : out.values()) value = std::nan("");  // what is not written shows
  kernel.gram(a, b, out, {});
  return out;
}

std::vector<VectorSet> awkward_sets() {
  std::vector<VectorSet> out;
  for (const NamedSet& tested : degenerate_sets()) out.push_back(tested.set);
  return out;
}

TEST_P(EveryKernel, SameSeedSameBytesForAnyThreads) {
  const Sample sample = random_sample(6000);
  MUSTER_FIT_OR_SKIP(one, fit(sample, 1));
  const auto two = fit(sample, 2);
  const std::vector<VectorSet> sets = random_sets(30);
  const Represented left = represent(*one, sets), right = represent(*two, sets);
  const auto first = settle(*one, left), second = settle(*two, right);
  expect_same_bytes(saved(*first), saved(*second));
  EXPECT_EQ(gram(*first, left, left, 1), gram(*second, right, right, 2));
}

TEST_P(EveryKernel, GramIsSymmetricAndOfItsPartsWhole) {
  MUSTER_FIT_OR_SKIP(fitted, fit(random_sample(400)));
  const Represented sets = represent(*fitted, random_sets(24));
  const auto kernel = settle(*fitted, sets);
  const Matrix<double> all = gram(*kernel, sets, sets);
  for (size_t i = 0; i < sets.size(); ++i)
    for (size_t j = 0; j < i; ++j) EXPECT_EQ(all(i, j), all(j, i)) << i << ", " << j;
  const RepresentedSpan span(sets);
  const Matrix<double> part = gram(*kernel, span.subspan(3, 5), span.subspan(1, 20), 2);
  Matrix<double> expected(5, 20);
  for (size_t i = 0; i < 5; ++i)
    std::ranges::copy(all.row(3 + i).subspan(1, 20), expected.row(i).begin());
  EXPECT_LT(relative_difference(part.values(), expected.values()), 1e-5);
  EXPECT_EQ(gram(*kernel, span.first(0), span).rows(), 0u);
}

TEST_P(EveryKernel, IsPositiveSemiDefiniteWhereItSaysSo) {
  const Psd claim = GetParam().stage.traits().psd;
  if (claim != Psd::kAlways && !(is_transform() && claim == Psd::kConditional)) return;
  MUSTER_FIT_OR_SKIP(fitted, fit(random_sample(400)));
  const Represented sets = represent(*fitted, random_sets(30));
  for (const auto& kernel : fitted->candidates(sets)) {
    const Matrix<double> values = gram(*kernel, sets, sets);
    const auto n = static_cast<Eigen::Index>(sets.size());
    const Eigen::MatrixXd matrix = Eigen::Map<const Eigen::MatrixXd>(values.data(), n, n);
    const Eigen::VectorXd eigenvalues = symmetric_eigenvalues(matrix);
    EXPECT_GE(eigenvalues[0], -1e-6 * eigenvalues[n - 1]);
  }
}

TEST_P(EveryKernel, OrderDoesNotMatter) {
  MUSTER_FIT_OR_SKIP(fitted, fit(random_sample(400)));
  std::vector<VectorSet> sets = random_sets(8), other;
  for (const VectorSet& set : sets) other.push_back(shuffled(set));
  const Represented left = represent(*fitted, sets), right = represent(*fitted, other);
  const auto kernel = settle(*fitted, left);
  EXPECT_LT(
      relative_difference(gram(*kernel, left, left).values(), gram(*kernel, right, right).values()),
      1e-5);
}

TEST_P(EveryKernel, SurvivesDegenerateSets) {
  MUSTER_FIT_OR_SKIP(fitted, fit(random_sample(400)));
  const Represented normal = represent(*fitted, random_sets(8)),
                    awkward = represent(*fitted, awkward_sets());
  const auto kernel = settle(*fitted, normal);
  EXPECT_TRUE(all_finite(gram(*kernel, awkward, awkward).values()));
  EXPECT_TRUE(all_finite(gram(*kernel, awkward, normal).values()));
  // A width is settled from the training sets whatever they are: all alike, all empty, just one.
  const Represented alike = represent(*fitted, {4, awkward_sets()[2]}),
                    empty = represent(*fitted, {4, awkward_sets()[0]}),
                    single = represent(*fitted, {1, random_set(9, 1)});
  for (const Represented& training : {alike, empty, single, awkward})
    EXPECT_TRUE(all_finite(gram(*settle(*fitted, training), training, training).values()));
}

TEST_P(EveryKernel, SavesAndLoadsExactly) {
  MUSTER_FIT_OR_SKIP(fitted, fit(random_sample(400)));
  std::vector<VectorSet> sets = random_sets(12);
  for (VectorSet& set : awkward_sets()) sets.push_back(std::move(set));
  const Represented before = represent(*fitted, sets);
  const auto kernel = settle(*fitted, before);
  TensorMap map, represented;
  kernel->save(TensorWriter(map));
  kernel->save_represented(before, TensorWriter(represented));
  const auto loaded = load(map);
  const Represented after = loaded->load_represented(TensorReader(represented)),
                    anew = represent(*loaded, sets);
  ASSERT_EQ(after.size(), before.size());
  const Matrix<double> expected = gram(*kernel, before, before);
  EXPECT_EQ(gram(*loaded, after, after), expected);
  EXPECT_EQ(gram(*loaded, anew, anew), expected);
  expect_same_bytes(saved(*loaded), map);
}

}  // namespace
}  // namespace muster::contract
