// Run by mpirun on several ranks: training and scoring with vectors that stay on their ranks,
// beside the same by one rank alone.
#include "muster/cluster/world.h"
#include "muster/core/error.h"
#include "muster/pipeline/fit.h"
#include "muster/pipeline/sharded_items.h"
#include "muster/store/safetensors.h"
#include "support/generated_source.h"
#include "support/ranks_main.h"

namespace muster {
namespace {

// Just more than are collected.
constexpr size_t kItems = 6100;
constexpr const char* kEncoder = "emk-fourier:dim=700,gamma=0.2";

std::vector<std::byte> bytes_of(const Pipeline& pipeline) {
  TensorMap map;
  pipeline.save(TensorWriter(map));
  return format_safetensors(map, "model");
}

struct Result {
  std::vector<std::byte> model;
  Matrix<double> scores;
};

Result train_and_score(const std::string& recipe) {
  const GeneratedSource source(kItems, 1, {4, 6, 5, 0.5}), unseen(kItems, 2, {4, 6, 5, 0.5});
  const Pipeline pipeline = fit_pipeline(plan_recipe(parse_recipe(recipe)), source,
                                         all_items_of(source), source.labels(), 3, {});
  return {bytes_of(pipeline), pipeline.score(unseen, all_items_of(unseen), {}).scores};
}

double accuracy(const Matrix<double>& scores) {
  size_t correct = 0;
  for (size_t i = 0; i < scores.rows(); ++i)
    correct += static_cast<size_t>(std::ranges::max_element(scores.row(i)) -
                                   scores.row(i).begin()) == i % 4;
  return static_cast<double>(correct) / static_cast<double>(scores.rows());
}

class ShardedRanks : public testing::TestWithParam<const char*> {};

TEST_P(ShardedRanks, GiveTheSameBytesAsOneAlone) {
  const std::string recipe = GetParam();
  Result alone;
  run_own_share([&] { alone = train_and_score(recipe); });  // in which nothing is divided
  const Result together = train_and_score(recipe);
  EXPECT_TRUE(together.model == alone.model);
  EXPECT_TRUE(together.scores == alone.scores);
  EXPECT_GT(accuracy(together.scores), 0.4);
}

INSTANTIATE_TEST_SUITE_P(
    All, ShardedRanks,
    testing::Values(
        "emk-fourier:dim=700,gamma=0.2/linear-svm:folds=2",
        "emk-fourier:dim=700,gamma=0.2/logistic:folds=2",
        "emk-fourier:dim=690,gamma=0.2+mean//linear-svm:C=3,calibrate=false,scheme=one-vs-one"));

TEST(Sharded, VectorsGoNowhere) {
  const GeneratedSource source(kItems, 1, {4, 6, 5, 0.5});
  const Plan plan = plan_recipe(parse_recipe(kEncoder));
  std::vector<FittedBranch> branches = {
      fit_branch(plan.branches[0], source, all_items_of(source), source.labels(), Rng(3), {})};
  const uint64_t before = world().traffic().bytes_given;
  const ShardedVectors vectors = encode_sharded(branches, source, all_items_of(source), {});
  EXPECT_LT(world().traffic().bytes_given - before, 1000u);
  size_t rows = 0;
  for (const std::string& text : gather_texts(std::to_string(vectors.rows.rows())))
    rows += std::stoul(text);
  EXPECT_EQ(rows, kItems);
}

TEST(Sharded, OneClassIsRefusedByAll) {
  const GeneratedSource source(kItems, 1, {4, 6, 5, 0.5});
  Labels labels = source.labels();
  for (auto& of_item : labels.of_item) of_item = {1};
  try {
    fit_pipeline(plan_recipe(parse_recipe(std::string(kEncoder) + "/linear-svm")), source,
                 all_items_of(source), labels, 3, {});
    FAIL() << "one class only was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
  }
  EXPECT_TRUE(divides_here());
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) { return muster::run_tests_on_ranks(argc, argv); }
