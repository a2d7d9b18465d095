// Models of earlier versions are read, and say what they said. Each is of one stage of the registry
// (recipes.h) on the same sets. MUSTER_WRITE_MODELS=FOLDER writes a collection for this version.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "muster/store/atomic_file.h"
#include "robust/recipes.h"

namespace muster {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json answers_of(const Model& model) {
  Json out = Json::array();
  for (const Answer& answer : model.predict(PlacedSets(4).views))
    out.push_back(answer->probabilities());
  return out;
}

TEST(OldModels, SayWhatTheySaid) {
  size_t models = 0;
  for (const auto& version : fs::directory_iterator(MUSTER_OLD_MODELS)) {
    std::ifstream in(version.path() / "answers.json");
    const Json answers = Json::parse(in);
    for (const auto& [name, expected] : answers.items()) {
      SCOPED_TRACE((version.path() / name).string());
      const Json found = answers_of(load(version.path() / name));
      ASSERT_EQ(found.size(), expected.size());
      for (size_t i = 0; i < found.size(); ++i)
        for (size_t k = 0; k < found[i].size(); ++k)
          EXPECT_NEAR(found[i][k].get<double>(), expected[i][k].get<double>(), 1e-4);
      ++models;
    }
  }
  EXPECT_GE(models, 35u);
}

TEST(OldModels, AreWritten) {
  const char* folder = std::getenv("MUSTER_WRITE_MODELS");
  if (!folder) GTEST_SKIP() << "MUSTER_WRITE_MODELS names no folder";
  const PlacedSets sets(9);
  Json answers;
  for (const StageEntry& entry : all_stages()) {
    TrainOptions options;
    options.recipe = recipe_around(contract::make_case(entry).stage);
    if (options.recipe.empty()) continue;
    if (entry.traits.distance) continue;  // no classifier takes distances
    const Model model = train(sets.views, sets.labels, options);
    model.save(fs::path(folder) / (entry.name + ".muster"));
    answers[entry.name + ".muster"] = answers_of(model);
  }
  write_file_atomically(fs::path(folder) / "answers.json", answers.dump() + "\n");
}

}  // namespace
}  // namespace muster
