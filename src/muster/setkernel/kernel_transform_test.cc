#include "muster/setkernel/kernel_transform.h"

#include <gtest/gtest.h>

#include <cmath>

#include "muster/setfeature/bow.h"
#include "muster/setkernel/empirical_map.h"
#include "muster/setkernel/feature_kernel.h"
#include "muster/setkernel/normalise.h"
#include "muster/setkernel/subpoly.h"
#include "support/set_features.h"
#include "support/set_kernels.h"

namespace muster {
namespace {

using Kernel = std::shared_ptr<const SetKernel>;

constexpr size_t kTrain = 7, kTest = 4;

// Sets 0 .. 6 are trained on; the first of them is empty.
std::vector<VectorSet> training_and_test_sets() {
  std::vector<VectorSet> sets;
  for (size_t i = 0; i < kTrain + kTest; ++i)
    sets.push_back(oracle::normal_set(i * 5 % 13, 3, Rng(i)));
  return sets;
}

// Dot products of means: values below zero as well.
Kernel products() {
  return make_feature_kernel(FeatureKernelKind::kLinear, std::nullopt,
                             std::make_shared<SetFeature>(oracle::mean_feature(3)));
}

// The transform as a pipeline uses it: settled on the training sets, test sets represented after
// that.
struct Used {
  Matrix<double> base, training, test;  // all x all, train x train, test x train
};
Used use(Kernel (*make)(Kernel), const Kernel& base) {
  const std::vector<VectorSet> sets = training_and_test_sets();
  const std::span<const VectorSet> all(sets);
  const Represented plain = oracle::represent_all(*base, all);
  const Kernel kernel = make(base);
  const Represented training = oracle::represent_all(*kernel, all.first(kTrain));
  const Kernel settled = kernel->candidates(training)[0];
  const Represented test = oracle::represent_all(*settled, all.subspan(kTrain));
  return {oracle::gram_of(*base, plain, plain), oracle::gram_of(*settled, training, training),
          oracle::gram_of(*settled, test, training)};
}

void expect_values(const Used& used, const std::function<double(size_t, size_t)>& expected) {
  for (size_t i = 0; i < kTrain + kTest; ++i)
    for (size_t j = 0; j < kTrain; ++j) {
      const double value = i < kTrain ? used.training(i, j) : used.test(i - kTrain, j);
      EXPECT_NEAR(value, expected(i, j), 1e-6 * (1 + std::abs(expected(i, j)))) << i << ", " << j;
      if (i < kTrain) {
        EXPECT_EQ(used.training(i, j), used.training(j, i));
      }
    }
}

TEST(Subpoly, IsASignedPower) {
  const Used used =
      use([](Kernel base) { return make_subpoly({0.3}, std::move(base)); }, products());
  bool negative = false;
  for (double value : used.base.values()) negative |= value < 0;
  EXPECT_TRUE(negative) << "the sign is not tested";
  expect_values(used, [&](size_t i, size_t j) {
    const double k = used.base(i, j);
    return (k < 0 ? -1 : 1) * std::pow(std::abs(k), 0.3);
  });
}

TEST(Normalise, DividesByTheSelfSimilarities) {
  const Used used = use(make_normalise, products());
  expect_values(used, [&](size_t i, size_t j) {
    const double selves = used.base(i, i) * used.base(j, j);
    return selves > 0 ? used.base(i, j) / std::sqrt(selves) : 0;
  });
  EXPECT_EQ(used.training(0, 0), 0) << "the empty set";
  for (size_t i = 1; i < kTrain; ++i) EXPECT_EQ(used.training(i, i), 1);
}

TEST(EmpiricalMap, IsTheProductOfKernelValuesWithTheTrainingSets) {
  for (const Kernel& base : {products(), make_subpoly({0.3}, products())}) {
    const Used used = use(make_empirical_map, base);
    expect_values(used, [&](size_t i, size_t j) {
      double sum = 0;
      for (size_t t = 0; t < kTrain; ++t) sum += used.base(i, t) * used.base(j, t);
      return sum;
    });
  }
}

TEST(KernelTransforms, StackOnAKernelWithAWidthToBeFound) {
  Sample sample;
  sample.vectors = oracle::normal_matrix(200, 3, Rng(1));
  BowOptions options;
  options.vocabulary.words = 6;
  const auto bow = std::make_shared<SetFeature>(fit_bow(options, sample, Rng(2), {}));
  const auto stack = [](Kernel kernel) {
    return make_normalise(make_empirical_map(make_subpoly({0.5}, std::move(kernel))));
  };
  const Kernel kernel = stack(make_feature_kernel(FeatureKernelKind::kRbf, std::nullopt, bow));
  const std::vector<VectorSet> sets = training_and_test_sets();
  const std::span<const VectorSet> all(sets);
  const Represented training = oracle::represent_all(*kernel, all.first(kTrain));
  const auto candidates = kernel->candidates(training);
  EXPECT_GT(candidates.size(), 1u);
  const Kernel settled = candidates[2];
  const Matrix<double> before =
      oracle::gram_of(*settled, oracle::represent_all(*settled, all.subspan(kTrain)), training);
  EXPECT_NE(before,
            oracle::gram_of(*candidates[3],
                            oracle::represent_all(*candidates[3], all.subspan(kTrain)), training));

  TensorMap saved;
  settled->save(TensorWriter(saved).scope("kernel"));
  settled->save_represented(training, TensorWriter(saved).scope("sets"));
  const TensorReader in = TensorReader(saved).scope("kernel");
  const Kernel rbf = load_feature_kernel(FeatureKernelKind::kRbf, bow,
                                         in.scope("base").scope("base").scope("base"));
  const Kernel loaded =
      load_normalise(load_empirical_map(load_subpoly({0.5}, rbf, in.scope("base").scope("base")),
                                        in.scope("base")),
                     in);
  const Represented again = loaded->load_represented(TensorReader(saved).scope("sets"));
  EXPECT_EQ(oracle::gram_of(*loaded, oracle::represent_all(*loaded, all.subspan(kTrain)), again),
            before);
}

}  // namespace
}  // namespace muster
