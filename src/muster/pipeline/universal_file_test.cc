#include "muster/pipeline/universal_file.h"

#include <gtest/gtest.h>

#include "muster/pipeline/fit.h"
#include "muster/source/cached_source.h"
#include "support/datasets.h"
#include "support/expect_error.h"

namespace muster {
namespace {

Plan plan_of(const std::string& recipe) { return plan_recipe(parse_recipe(recipe)); }

class UniversalFiles : public ::testing::Test {
 protected:
  UniversalFiles() {
    put_sets(data_, 3, 6, 5);
    dataset_ = open_dataset(data_.path());
  }

  Pipeline fit(const std::string& recipe, uint64_t seed,
               const UniversalFile* universal = nullptr) const {
    return fit_pipeline(plan_of(recipe), CachedSource(dataset_), all_items(dataset_),
                        dataset_.labels, seed, {}, {.universal = universal});
  }

  static void save(const Pipeline& pipeline, const std::filesystem::path& path) {
    save_universal(pipeline.plan().branches[0], pipeline.branches()[0], path);
  }

  TempDir data_, folder_;
  Dataset dataset_;
};

TEST_F(UniversalFiles, AreReusedByEveryStageThatRestsOnAMixture) {
  save(fit("pca:dim=2/fisher:components=4/linear-svm:folds=2", 1), folder_ / "u.universal");
  const UniversalFile file = UniversalFile::load(folder_ / "u.universal");
  for (const char* last :
       {"fisher:components=4/linear-svm", "supervector:components=4/rbf/kernel-svm",
        "ppk:components=4/kernel-svm", "klk:components=4/normalise/kernel-svm"}) {
    const Pipeline pipeline = fit(std::string("pca:dim=2/") + last + ":folds=2", 2, &file);
    save(pipeline, folder_ / "again.universal");
    EXPECT_TRUE(read_whole_file(folder_ / "again.universal") ==
                read_whole_file(folder_ / "u.universal"))
        << last;
    pipeline.save(folder_ / "m.muster");
    const CachedSource source(dataset_);
    EXPECT_EQ(Pipeline::load(folder_ / "m.muster").score(source, all_items(dataset_), {}).scores,
              pipeline.score(source, all_items(dataset_), {}).scores);
  }
}

TEST_F(UniversalFiles, AreRefusedWhereTheyDoNotFit) {
  save(fit("pca:dim=2/fisher:components=4/linear-svm:folds=2", 1), folder_ / "u.universal");
  const UniversalFile file = UniversalFile::load(folder_ / "u.universal");
  EXPECT_ERROR(fit("pca:dim=2/fisher:components=3/linear-svm", 1, &file), kUsage, "components=4");
  EXPECT_ERROR(fit("pca:dim=1/fisher:components=4/linear-svm", 1, &file), kUsage, "pca:dim=1");
  EXPECT_ERROR(fit("pca:dim=2/bow:words=4/linear-svm", 1, &file), kUsage, "bow");
  EXPECT_ERROR(fit("pca:dim=2/ppk:components=4,covariance=full/kernel-svm", 1, &file), kUsage,
               "full");
  EXPECT_ERROR(require_universal_stage(plan_of("bow:words=4/linear-svm"), folder_ / "none"), kUsage,
               "no universal mixture");
  EXPECT_ERROR(require_universal_stage(plan_of("fisher+fisher//linear-svm"), folder_ / "none"),
               kUsage, "2 branches");
  fit("bow:words=4/linear-svm:folds=2", 1).save(folder_ / "m.muster");
  EXPECT_ERROR(UniversalFile::load(folder_ / "m.muster"), kData, "universal mixture");
}

}  // namespace
}  // namespace muster
