#include "muster/density/adapted_sets.h"

#include <gtest/gtest.h>

#include "muster/density/ppk.h"
#include "support/adapted_sets.h"

namespace muster {
namespace {

TEST(AdaptedSets, RefuseOneToOneBetweenMixturesOfSetsAlone) {
  PpkOptions options;
  oracle::make_small(options, Mapping::kOneToOne, Adapt::kAll, CovarianceKind::kDiagonal);
  options.sets.estimate = Estimate::kMle;
  EXPECT_THROW(fit_ppk(options, oracle::clusters(300, 2, 3, 1), Rng(1), {}), Error);
  options.sets.mapping = Mapping::kOneToMany;
  std::vector<VectorSet> sets = oracle::sets_like(3, 2, 3, 1);
  sets.push_back(VectorSet{Matrix<float>(0, 2), {}});
  sets.push_back(oracle::normal_set(1, 2, Rng(9)));
  const Matrix<double> gram =
      oracle::settled_gram(*fit_ppk(options, oracle::clusters(300, 2, 3, 1), Rng(1), {}), sets);
  for (double value : gram.values()) EXPECT_TRUE(value >= 0 && value <= 1 + 1e-9) << value;
}

}  // namespace
}  // namespace muster
