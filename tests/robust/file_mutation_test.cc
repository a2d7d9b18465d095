// The other files that muster reads: feature shards, universal mixtures, and results.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "muster/core/check_set.h"
#include "muster/report/html.h"
#include "muster/report/tables.h"
#include "muster/results/results_json.h"
#include "muster/store/feature_shards.h"
#include "muster/store/safetensors.h"
#include "robust/mutations.h"
#include "robust/recipes.h"
#include "support/results_record.h"
#include "support/temp_dir.h"

namespace muster {
namespace {

// Calls use(file) for each mutation of the file; gives their number. Only an Error may come out.
size_t try_mutations(const std::filesystem::path& file, size_t count, const auto& use) {
  const TensorMap map = read_safetensors(file);
  size_t tried = 0;
  for (const Mutation& mutation : some_of(all_mutations(map), count)) {
    watch_mutation(file.filename().string() + "\n" + mutation.name);
    TensorMap changed = map;
    mutation.apply(changed);
    write_safetensors(file, changed);
    ++tried;
    try {
      use();
    } catch (const Error& error) {
      EXPECT_TRUE(error.kind() == ErrorKind::kData || error.kind() == ErrorKind::kUsage)
          << mutation.name << ": " << error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << mutation.name << ": not an Error: " << error.what();
    }
  }
  return tried;
}

TEST(MutatedFiles, FeatureShards) {
  const TempDir dir;
  {
    FeatureWriter writer(dir / "features", {{"recipe", "dsift"}});
    for (size_t i = 0; i < 4; ++i)
      writer.add(fmt::format("item {}", i), contract::random_set(2 + i, i));
    writer.finish();
  }
  const size_t tried =
      try_mutations(dir / "features" / "shard-00000.safetensors", wanted_mutations(300), [&] {
        const FeatureStore store = FeatureStore::open(dir / "features");
        for (size_t i = 0; i < store.size(); ++i) {
          const VectorSet set = store.load(i);
          check_set(set, "loaded");  // as it would be used
          EXPECT_TRUE(set.image_width >= 0 && set.image_height >= 0);
          EXPECT_EQ(store.find(store.names()[i]), i);
        }
      });
  std::cout << tried << " mutations of a feature shard\n";
}

TEST(MutatedFiles, UniversalMixtures) {
  const TempDir dir;
  const PlacedSets sets(12);
  TrainOptions options;
  options.recipe = "pca:dim=4/fisher:components=2/linear-svm:C=1";
  train(sets.views, sets.labels, options).save_universal(dir / "universal");
  options.universal = dir / "universal";
  const size_t tried = try_mutations(dir / "universal", wanted_mutations(300), [&] {
    EXPECT_EQ(fault_of(train(sets.views, sets.labels, options).predict(sets.views)), "");
  });
  std::cout << tried << " mutations of a universal mixture\n";
}

TEST(MutatedFiles, Results) {
  const nlohmann::ordered_json record = results_record();
  const nlohmann::json others[] = {nullptr,
                                   -1,
                                   1e300,
                                   99999999,
                                   "x",
                                   true,
                                   nlohmann::json::array(),
                                   nlohmann::json::object(),
                                   nlohmann::json::array({1, "a"})};
  std::vector<std::string> places;
  const nlohmann::ordered_json flat = record.flatten();
  for (const auto& [place, value] : flat.items()) places.push_back(place);
  const size_t count = wanted_mutations(600), all = places.size() * std::size(others);
  size_t tried = 0;
  for (size_t k = 0; k < std::min(count, all); ++k) {
    const size_t m = k * all / std::min(count, all);
    std::string place = places[m / std::size(others)];
    if (m % 3 == 0) place = place.substr(0, place.rfind('/'));  // what holds it
    watch_mutation("results\n" + place + " is " + others[m % std::size(others)].dump());
    nlohmann::ordered_json changed = record;
    changed[nlohmann::ordered_json::json_pointer(place)] = others[m % std::size(others)];
    ++tried;
    try {
      const Results results = results_from_json(changed);
      text_table(results);
      csv_table(results);
      html_report(results);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kData) << error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << place << " is " << others[m % std::size(others)] << ": " << error.what();
    }
  }
  std::cout << tried << " mutations of results\n";
}

}  // namespace
}  // namespace muster
