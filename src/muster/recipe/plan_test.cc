#include "muster/recipe/plan.h"

#include "support/expect_error.h"

namespace muster {
namespace {

Plan plan(const char* text) { return plan_recipe(parse_recipe(text)); }

std::string overridden(const char* text, std::string_view assignment) {
  Recipe recipe = parse_recipe(text);
  override_option(recipe, assignment);
  return recipe.text();
}

TEST(Plan, FindsThePartsOfARecipe) {
  const Plan result = plan("dsift/pca:dim=20/l2/bow:words=50/rbf/kernel-svm");
  ASSERT_EQ(result.branches.size(), 1u);
  const BranchPlan& branch = result.branches[0];
  EXPECT_EQ(branch.extractor->entry->name, "dsift");
  ASSERT_EQ(branch.reducers.size(), 2u);
  EXPECT_EQ(branch.reducers[1].entry->name, "l2");
  EXPECT_EQ(branch.set_feature->entry->name, "bow");
  EXPECT_EQ(branch.feature_kernel->entry->name, "rbf");
  EXPECT_FALSE(branch.set_kernel);
  EXPECT_TRUE(branch.has_kernel());
  EXPECT_EQ(result.classifier->entry->name, "kernel-svm");
  EXPECT_FALSE(result.on_vectors());
  EXPECT_TRUE(plan("bow/linear-svm").on_vectors());
  EXPECT_FALSE(plan("dsift/bow").classifier);  // what encode takes
}

TEST(Plan, KnowsWhatTransformsMakeOfAKernel) {
  const auto psd = [](const char* text) { return plan(text).psd(); };
  EXPECT_EQ(psd("bow/linear-svm"), Psd::kAlways);
  EXPECT_EQ(psd("sum-match/kernel-svm"), Psd::kAlways);
  EXPECT_EQ(psd("sum-match/normalise/kernel-svm"), Psd::kAlways);
  EXPECT_EQ(psd("match/normalise/kernel-svm"), Psd::kNo);
  EXPECT_EQ(psd("bow/rbf/subpoly/kernel-svm"), Psd::kNo);
  EXPECT_EQ(psd("match/subpoly/empirical-map/normalise/kernel-svm"), Psd::kAlways);
  EXPECT_EQ(psd("principal-angles/kernel-svm"), Psd::kConditional);
  EXPECT_EQ(psd("dsift/match+rgb/bow//kernel-svm"), Psd::kNo);
  EXPECT_TRUE(plan("matching:distance=true/subpoly").branches[0].gives_distances());
  EXPECT_FALSE(
      plan("matching:distance=true/empirical-map/kernel-svm").branches[0].gives_distances());
  EXPECT_TRUE(plan("pmk:distance=true").branches[0].gives_distances());
  EXPECT_TRUE(plan("l1-embedding").branches[0].gives_distances());
  EXPECT_FALSE(plan("matching/kernel-svm").branches[0].gives_distances());
}

TEST(Plan, RecipeSpellsOutEveryOptionAndMeansTheSame) {
  for (const char* text : {"dsift/bow:words=50/linear-svm", "sum-match/kernel-svm",
                           "bow/standardise/rbf/kernel-svm", "dsift/bow+rgb/bow//linear-svm",
                           "match:kernel=cauchy/subpoly:p=0.3/empirical-map/normalise/kernel-svm",
                           "dsift/places/bow/chi2:gamma=0.5+rgb/bow//kernel-svm:C=3",
                           "dsift/spm:weights=qp,lambda=auto/kernel-svm",
                           "dsift/spm+rgb/spm+lbp/spm//kernel-svm:weights=qp",
                           "dsift/pmk+dsift/emk-fourier+rgb/bow//kernel-svm:weights=alignment"}) {
    const Recipe full = plan(text).recipe();
    EXPECT_EQ(plan_recipe(full).recipe(), full) << text;
    EXPECT_EQ(parse_recipe(full.text()), full) << text;
  }
  EXPECT_EQ(plan("bow:words=50/chi2").recipe().text(),
            "bow:words=50,iterations=30,tolerance=1e-04,init=plus-plus,per_category=false,"
            "vocabulary=k-means,trees=5,tries=30,"
            "levels=0,cells=share,power=1,l2=false/chi2:gamma=auto");
}

TEST(Plan, NamesTheStageThatIsOutOfOrder) {
  const struct {
    const char* recipe;
    const char* said;
  } mistakes[] = {
      {"bow/dsift/linear-svm", "dsift (feature) must come first"},
      {"dsift/rgb/bow/linear-svm", "rgb (feature) must come first"},
      {"dsift/bow/pca/linear-svm", "pca (reduction) must come before"},
      {"dsift/bow/bow/linear-svm", "bow (set feature) is the second one"},
      {"dsift/bow/sum-match/kernel-svm", "sum-match (set kernel) cannot follow"},
      {"dsift/sum-match/rbf/kernel-svm", "rbf (vector kernel) must follow a set feature"},
      {"dsift/rbf/kernel-svm", "rbf (vector kernel) must follow a set feature"},
      {"dsift/bow/rbf/chi2/kernel-svm", "chi2 (vector kernel) must follow a set feature"},
      {"dsift/normalise/kernel-svm", "normalise (kernel transform) must follow a kernel"},
      {"dsift/bow/normalise/kernel-svm", "put linear between"},
      {"dsift/match/normalise/bow/kernel-svm", "bow (set feature) is the second one"},
      {"dsift/match/normalise/linear-svm", "takes vectors and cannot follow a kernel"},
      {"dsift/match/kernel-svm/normalise", "stands after the classifier"},
      {"dsift/match/normalise/rbf/kernel-svm", "rbf (vector kernel) must follow a set feature"},
      {"matching:distance=true/kernel-svm", "kernel-svm cannot follow matching:distance=true"},
      {"matching:distance=true/kernel-svm", "distance=false"},
      {"matching:distance=true/subpoly/kernel-svm", "put empirical-map between them"},
      {"matching:distance=true/normalise", "cannot follow a distance"},
      {"dsift/match+rgb/matching:distance=true//kernel-svm", "which gives distances"},
      {"dsift/spm:weights=qp/normalise/kernel-svm",
       "cannot follow a kernel whose weights are learned"},
      {"dsift/spm:weights=qp+rgb/spm//kernel-svm:weights=mkl",
       "spm and kernel-svm both learn weights"},
      {"dsift/standardise/linear-svm", "standardise (vector scaling) must follow a set feature"},
      {"dsift/bow/rbf/standardise/kernel-svm",
       "standardise (vector scaling) must follow a set feature"},
      {"dsift/bow/standardise/standardise/linear-svm", "is the second one"},
      {"dsift/linear-svm", "linear-svm (classifier) needs a set feature or set kernel"},
      {"dsift/bow/linear-svm/bow", "bow (set feature) stands after the classifier"},
      {"dsift/bow/linear-svm/linear-svm", "linear-svm (classifier) stands after the classifier"},
      {"dsift/bow/rbf/linear-svm", "takes vectors and cannot follow a kernel; use kernel-svm"},
      {"dsift/sum-match/linear-svm", "takes vectors and cannot follow a kernel"},
      {"dsift/bow/linear-svm+rgb/bow//linear-svm", "belongs after '//'"},
      {"dsift/bow+rgb/bow//pca", "pca (reduction) cannot follow '//'"},
      {"dsift/bow+rgb//linear-svm", "needs a set feature or set kernel in every branch"},
      {"dsift/bow+rgb/bow//linear-svm/linear-svm", "stands after the classifier"},
      {"dsift/bow+rgb/bow/rbf//linear-svm", "takes vectors and cannot follow a kernel"},
  };
  for (const auto& mistake : mistakes) {
    SCOPED_TRACE(mistake.recipe);
    EXPECT_ERROR(plan(mistake.recipe), kUsage, mistake.said);
  }
}

TEST(Plan, KnowsWhereWeightsAreLearned) {
  EXPECT_FALSE(plan("dsift/spm/kernel-svm").branches[0].learns_weights());
  EXPECT_TRUE(plan("dsift/spm:weights=uniform/kernel-svm").branches[0].learns_weights());
  EXPECT_FALSE(plan("dsift/spm/kernel-svm").weight_learning());
  EXPECT_FALSE(plan("dsift/bow/linear-svm").weight_learning());
  const auto together =
      plan("dsift/spm+rgb/bow//kernel-svm:weights=mkl,mkl_cost=3").weight_learning();
  ASSERT_TRUE(together);
  EXPECT_EQ(together->rule, WeightRule::kMkl);
  EXPECT_EQ(together->options.mkl_cost, 3);
  EXPECT_EQ(plan("dsift/root/spm/normalise/kernel-svm").branches[0].short_name(),
            "dsift/root/spm/normalise");
  EXPECT_TRUE(plan("dsift/bow+rgb/bow//linear-svm:weights=held-out").weighs_vectors());
  EXPECT_FALSE(plan("dsift/bow+rgb/bow//linear-svm").weighs_vectors());
  EXPECT_FALSE(plan("dsift/bow+rgb/bow//naive-bayes").weighs_vectors());
}

TEST(Plan, BranchesAreToldApartByWhatDiffers) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(plan("dsift:step=4/spm+rgb/spm//kernel-svm").branch_names(),
            (Names{"dsift/spm", "rgb/spm"}));
  EXPECT_EQ(plan("dsift:size=16/spm+dsift:size=32/spm:words=50+rgb/spm//kernel-svm").branch_names(),
            (Names{"dsift:size=16/spm:words=200", "dsift:size=32/spm:words=50", "rgb/spm"}));
}

TEST(Plan, NamesUnknownStagesAndOptions) {
  EXPECT_ERROR(plan("dsift/bwo/linear-svm"), kUsage, "did you mean 'bow'?");
  EXPECT_ERROR(plan("dsift/bow:word=5/linear-svm"), kUsage, "words");
  EXPECT_ERROR(plan("dsift/bow:words=0/linear-svm"), kUsage, "words=0");
}

TEST(Plan, OverridesReachTheStagesThatHaveTheOption) {
  EXPECT_EQ(overridden("dsift/bow/linear-svm", "words=50"), "dsift/bow:words=50/linear-svm");
  EXPECT_EQ(overridden("dsift/bow:words=9/linear-svm:C=1", "bow.words=50"),
            "dsift/bow:words=50/linear-svm:C=1");
  EXPECT_EQ(overridden("dsift/bow+rgb/bow//linear-svm", "words=5"),
            "dsift/bow:words=5+rgb/bow:words=5//linear-svm");
  EXPECT_EQ(overridden("dsift/bow+rgb/bow//linear-svm", "C=5"),
            "dsift/bow+rgb/bow//linear-svm:C=5");
  EXPECT_EQ(overridden("dsift/bow+rgb/bow//linear-svm", "rgb.step=5"),
            "dsift/bow+rgb:step=5/bow//linear-svm");
  EXPECT_EQ(overridden("dsift/bow/linear-svm", "size=16,24"), "dsift:size=16,24/bow/linear-svm");
}

TEST(Plan, OverridesThatReachNothingOrAreWrongAreRefused) {
  EXPECT_ERROR(overridden("dsift/bow/linear-svm", "wrods=50"), kUsage, "bow.words");
  EXPECT_ERROR(overridden("dsift/bow/linear-svm", "rgb.step=5"), kUsage, "rgb.step=5");
  EXPECT_ERROR(overridden("dsift/bow/linear-svm", "words"), kUsage, "option=value");
  EXPECT_ERROR(overridden("dsift/bow/linear-svm", "=5"), kUsage, "option=value");
  EXPECT_ERROR(overridden("dsift/bow/linear-svm", "words=many"), kUsage, "words=many");
}

TEST(Plan, SamplesAreTheStagesOwnOrTheDefault) {
  EXPECT_EQ(plan("dsift/bow/linear-svm").branches[0].set_feature->num_samples(), 100000u);
}

}  // namespace
}  // namespace muster
