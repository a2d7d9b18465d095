#include <gtest/gtest.h>

#include "muster/math/symmetric_eigen.h"
#include "muster/pipeline/fit.h"
#include "muster/source/cached_source.h"
#include "support/real_data.h"

namespace muster {
namespace {

// The smallest eigenvalue of the Gram of every tenth picture of ETH-80, as a share of the largest.
double smallest_eigenvalue(const char* recipe) {
  const Dataset data = open_dataset(data_dir() / "eth-80");
  const CachedSource source(data);
  std::vector<size_t> items;
  for (size_t i = 0; i < data.items.size(); i += 10) items.push_back(i);
  const Plan plan = plan_recipe(parse_recipe(recipe));
  const FittedBranch branch = fit_branch(plan.branches[0], source, items, {}, Rng(1), {});
  const Represented sets = represent_items(branch, source, items, {});
  Matrix<double> gram(sets.size(), sets.size());
  branch.kernel->candidates(sets)[0]->gram(sets, sets, gram, {});
  const auto n = static_cast<Eigen::Index>(sets.size());
  const Eigen::VectorXd values =
      symmetric_eigenvalues(Eigen::Map<Eigen::MatrixXd>(gram.data(), n, n));
  testing::Test::RecordProperty("smallest_eigenvalue", std::to_string(values[0]));
  testing::Test::RecordProperty("largest_eigenvalue", std::to_string(values[n - 1]));
  return values[0] / values[n - 1];
}

TEST(RealGram, PyramidMatchNormalisedBySelfSimilarityIsPositiveSemiDefinite) {
  MUSTER_NEED_DATA("eth-80");
  EXPECT_GT(smallest_eigenvalue("dsift:step=16/pca:dim=10/pmk:pyramids=3"), -1e-9);
  EXPECT_GT(smallest_eigenvalue("sift/pca:dim=10/pmk:pyramids=3"), -1e-9);
}

// Sets of one size only: then it is the other normalisation but for a factor.
TEST(RealGram, PyramidMatchNormalisedByTheSmallerSetIsPositiveSemiDefiniteForEqualSizes) {
  MUSTER_NEED_DATA("eth-80");
  EXPECT_GT(smallest_eigenvalue("dsift:step=16/pca:dim=10/pmk:pyramids=3,normalise=min"), -1e-9);
}

// And of many sizes it is not: what the trait of that option says.
TEST(RealGram, PyramidMatchNormalisedByTheSmallerSetIsIndefiniteForUnequalSizes) {
  MUSTER_NEED_DATA("eth-80");
  EXPECT_LT(smallest_eigenvalue("sift/pca:dim=10/pmk:pyramids=3,normalise=min"), -1e-3);
}

}  // namespace
}  // namespace muster
