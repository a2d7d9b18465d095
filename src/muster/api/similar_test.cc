// Similar items by the front door.
#include <gtest/gtest.h>

#include <fstream>

#include "muster/muster.h"
#include "support/datasets.h"
#include "support/expect_error.h"
#include "support/sets_in_memory.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

TEST(Similar, AmongItemsInMemory) {
  const Sets sets(8);
  const Model model = train(sets.views, sets.labels, {.recipe = "bow:words=9/knn"});
  const SimilarItems found = model.similar(sets.views, std::span(sets.views).first(5), {.top = 4});
  ASSERT_EQ(found.answers.size(), 5u);
  for (size_t q = 0; q < 5; ++q) {
    const SimilarItems::Answer& answer = found.answers[q];
    ASSERT_EQ(answer.items.size(), 4u);
    EXPECT_NEAR(answer.items[0].similarity, 1, 1e-6) << "itself";
    EXPECT_TRUE(answer.items[0].labels.empty());
  }
  EXPECT_ERROR(model.similar(sets.views, sets.views, {.top = 0}), kUsage, "top");
  EXPECT_ERROR(model.similar(std::vector<SetView>(), sets.views), kUsage, "similar");
  EXPECT_TRUE(model.similar(sets.views, std::vector<SetView>()).answers.empty());
}

TEST(Similar, InADataSetAndInAFlatFolder) {
  TempDir folder;
  put_sets(folder, 3, 6, 5);
  const Model model = train(folder.path(), {.recipe = "mean/rbf/kernel-svm:C=1"});
  fs::path flat;
  for (const auto& entry : fs::directory_iterator(folder.path())) flat = entry.path();
  std::vector<fs::path> queries;
  for (const auto& entry : fs::directory_iterator(flat)) queries.push_back(entry.path());
  queries.push_back(folder / "none.npy");
  const SimilarItems found = model.similar(folder.path(), queries, {.top = 100});
  EXPECT_EQ(found.answers[0].items.size(), 18u);
  EXPECT_EQ(found.answers[0].items[0].labels, std::vector<std::string>{flat.filename().string()});
  EXPECT_NEAR(found.answers[0].items[0].similarity, 1, 1e-9);
  ASSERT_TRUE(found.answers.back().error);
  EXPECT_EQ(found.answers.back().error->kind(), ErrorKind::kData);
  EXPECT_TRUE(found.answers.back().items.empty());

  std::ofstream(flat / "bad.npy") << "not an array";
  const SimilarItems among = model.similar(flat, std::span(queries).first(2));
  EXPECT_EQ(among.answers[0].items.size(), 6u);
  EXPECT_TRUE(among.answers[0].items[0].labels.empty());
  EXPECT_EQ(among.left_out.size(), 1u);
  fs::remove(flat / "bad.npy");

  const RetrievalEvaluation measured = model.evaluate_retrieval(folder.path(), {.top = 3});
  EXPECT_EQ(measured.items, 18u);
  EXPECT_EQ(measured.queries, 18u);
  EXPECT_GT(measured.mean_average_precision, 0.5);
  EXPECT_LE(measured.precision_at_top, 1);
  EXPECT_ERROR(model.similar(folder / "nowhere", queries), kData, "nowhere");
}

}  // namespace
}  // namespace muster
