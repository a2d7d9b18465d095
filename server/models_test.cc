#include "server/models.h"

#include <fstream>

#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace muster::server {
namespace {

// A model of two classes of vector sets, named `first` and "z".
Model small_model(const std::string& first) {
  std::vector<float> values;
  for (int i = 0; i < 8 * 10 * 2; ++i)
    values.push_back(static_cast<float>(i / 80 * 3) + 0.01f * static_cast<float>(i % 7));
  std::vector<SetView> sets;
  std::vector<std::string> labels;
  for (size_t i = 0; i < 8; ++i) {
    sets.push_back({values.data() + i * 20, 10, 2});
    labels.push_back(i < 4 ? first : "z");
  }
  TrainOptions options;
  options.recipe = "bow:words=4/linear-svm:C=1";
  return train(sets, labels, options);
}

TEST(Models, AreFoundByTheNamesOfTheirFiles) {
  const TempDir folder;
  small_model("a").save(folder / "one.muster");
  small_model("b").save(folder / "two.muster");
  const Models models({folder / "one.muster", folder / "two.muster"});
  EXPECT_EQ(models.names(), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(models.find("two")->info.class_names[0], "b");
  EXPECT_EQ(models.find("three"), nullptr);
  EXPECT_EQ(models.find(""), nullptr);  // of several
  EXPECT_EQ(Models({folder / "one.muster"}).find("")->name, "one");
}

TEST(Models, AChangedFileIsLoadedAndTheOldModelLivesOn) {
  const TempDir folder;
  const std::filesystem::path file = folder / "m.muster";
  small_model("a").save(file);
  Models models({file});
  EXPECT_TRUE(models.reload().empty());
  const auto before = models.find("m");
  small_model("b").save(file);
  ASSERT_EQ(models.reload().size(), 1u);
  EXPECT_EQ(models.find("m")->info.class_names[0], "b");
  EXPECT_EQ(before->info.class_names[0], "a");
  EXPECT_TRUE(models.reload().empty());
  EXPECT_EQ(models.reload(true).size(), 1u);
}

TEST(Models, ABadFileKeepsTheOldModel) {
  const TempDir folder;
  const std::filesystem::path file = folder / "m.muster";
  small_model("a").save(file);
  Models models({file});
  const std::vector<float> set = {0, 0, 1, 1};
  const Prediction before = models.find("m")->model.predict(SetView{set.data(), 2, 2});
  std::ofstream(file, std::ios::trunc) << "no model";  // in its place: a mapped file would change
  const std::vector<Models::Change> changes = models.reload();
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_NE(changes[0].error.find("m.muster"), std::string::npos) << changes[0].error;
  EXPECT_EQ(models.find("m")->model.predict(SetView{set.data(), 2, 2}).probabilities(),
            before.probabilities());
  EXPECT_TRUE(models.reload().empty());  // said once
  std::filesystem::remove(file);
  EXPECT_EQ(models.reload().size(), 1u);
  EXPECT_NE(models.find("m"), nullptr);
}

TEST(Models, WhatCannotBeServedIsAnError) {
  const TempDir folder;
  EXPECT_ERROR(Models({folder / "none.muster"}), kData, "none.muster");
  std::filesystem::create_directory(folder / "sub");
  small_model("a").save(folder / "m.muster");
  small_model("a").save(folder / "sub/m.muster");
  EXPECT_ERROR(Models({folder / "m.muster", folder / "sub/m.muster"}), kUsage, "rename");
}

}  // namespace
}  // namespace muster::server
