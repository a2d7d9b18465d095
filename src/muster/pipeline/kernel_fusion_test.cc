#include "muster/pipeline/kernel_fusion.h"

#include <gtest/gtest.h>

#include "support/random_data.h"

namespace muster {
namespace {

// Branches as fit_pipeline leaves them to the fusion: fitted, the training sets represented.
struct SpmBranches {
  explicit SpmBranches(const Plan& plan) {
    for (size_t b = 0; b < plan.branches.size(); ++b) {
      const PlannedStage& stage = *plan.branches[b].set_kernel;
      const Sample sample{oracle::normal_matrix(200, 4, Rng(b)), {}, 0};
      FittedBranch& branch = branches.emplace_back();
      branch.kernel = stage.as<SetKernelStage>().fit(*stage.options, sample, Rng(b), {});
      for (size_t i = 0; i < kItems; ++i)
        branch.training.push_back(
            branch.kernel->represent(oracle::normal_set(30, 4, Rng(100 * b + i))));
    }
  }

  static constexpr size_t kItems = 24;
  std::vector<FittedBranch> branches;
};

Labels two_classes(size_t num_items) {
  Labels out{{"a", "b"}, {}, {}};
  for (size_t i = 0; i < num_items; ++i) out.of_item.push_back({static_cast<int>(i / 2) % 2});
  return out;
}

TEST(KernelFusion, WeightsOfAFoldDoNotKnowItsLabels) {
  const std::vector<size_t> left_out = {3, 8, 20};
  for (const char* recipe :
       {"dsift/spm:words=6,levels=1,weights=qp,lambda=auto/kernel-svm",
        "dsift/spm:words=6,levels=1+rgb/spm:words=4,levels=0//kernel-svm:weights=qp,lambda=auto"}) {
    const Plan plan = plan_recipe(parse_recipe(recipe));
    SpmBranches made(plan);
    const Labels labels = two_classes(SpmBranches::kItems);
    Labels wrong = labels;
    for (const size_t i : left_out) wrong.of_item[i] = {1 - labels.of_item[i][0]};
    const Progress silent;
    const KernelFusion fusion(plan, made.branches, labels, silent),
        other(plan, made.branches, wrong, silent);
    ASSERT_TRUE(fusion.chooses_among_learned());
    for (size_t c = 0; c < fusion.num_candidates(); ++c) {
      const Matrix<double> gram = fusion.gram_without(c, left_out);
      EXPECT_EQ(gram, other.gram_without(c, left_out)) << recipe << " " << c;
      EXPECT_EQ(gram, fusion.gram_without(c, left_out)) << "kept weights differ from those learned";
      EXPECT_EQ(fusion.gram(c), fusion.gram_without(c, {}));
    }
    const size_t boldest = fusion.num_candidates() - 1;
    EXPECT_NE(fusion.gram(boldest), other.gram(boldest)) << "labels make no difference here";
  }
}

}  // namespace
}  // namespace muster
