// A model file comes from anywhere: whatever is changed in it and signed again, it is refused as
// bad data or it answers with numbers.
#include <gtest/gtest.h>

#include "muster/store/safetensors.h"
#include "robust/mutations.h"
#include "robust/recipes.h"
#include "support/datasets.h"

namespace muster {
namespace {

class MutatedModels : public ::testing::Test {
 protected:
  MutatedModels() : training_(15), items_(3) {
    items_.add(contract::degenerate_sets()[0].set, "");  // empty
    items_.add(contract::degenerate_sets()[5].set, "");  // large
    for (int i = 0; i < 3; ++i)
      put_set(more_, fmt::format("new/{}.npy", i), training_.data[0].vectors);
  }

  // What a model can be asked for. An error about the data or the question is an answer.
  std::string fault_when_used(std::span<const std::byte> file, bool thoroughly) {
    try {
      const Model model = load(file);
      if (std::string fault = fault_of(model.predict(items_.views), model.info().multi_label);
          !fault.empty())
        return fault;
      if (!thoroughly) return "";
      model.evaluate(std::span(training_.views).first(3), std::span(training_.labels).first(3));
      model.bytes();
      const std::vector<Model> twice{model, model};
      fuse(twice).predict(items_.views[0]);
      model.explain(items_.views[0]);
      add_classes(model, more_.path(), "new").predict(items_.views[0]);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kData && error.kind() != ErrorKind::kUsage)
        return error.what();
    } catch (const std::exception& error) {
      return fmt::format("not an Error: {}", error.what());
    }
    return "";
  }

  size_t try_mutations(const std::string& what, const std::vector<std::byte>& file, size_t count) {
    const TensorMap map = parse_safetensors(file, what);
    size_t tried = 0;
    for (const Mutation& mutation : some_of(all_mutations(map), count)) {
      watch_mutation(what + "\n" + mutation.name);
      TensorMap changed = map;
      mutation.apply(changed);
      const std::vector<std::byte> bytes = format_safetensors(changed, what);
      const std::string fault = fault_when_used(bytes, tried++ % 4 == 0);
      EXPECT_EQ(fault, "") << what << "\n" << mutation.name;
    }
    return tried;
  }

  PlacedSets training_, items_;
  TempDir more_;
};

TEST_F(MutatedModels, AreRefusedOrAnswer) {
  const std::vector<std::string> recipes = small_recipes();
  std::vector<std::pair<std::string, std::vector<std::byte>>> models;
  for (const std::string& recipe : recipes) {
    TrainOptions options;
    options.recipe = recipe;
    options.keep_training = true;
    try {
      models.emplace_back(recipe, train(training_.views, training_.labels, options).bytes());
    } catch (const Error&) {
      continue;  // a setting that is refused, as the contract tests expect
    }
  }
  EXPECT_GT(models.size(), recipes.size() * 3 / 4);
  TrainOptions options;
  options.recipe = "fisher:components=2/linear-svm";
  options.class_mixtures = true;
  const std::vector<Model> members{train(training_.views, training_.labels, options),
                                   train(training_.views, training_.labels, options)};
  models.emplace_back("class mixtures", members[0].bytes());
  models.emplace_back("fused", fuse(members).bytes());

  const size_t wanted = wanted_mutations(1500), each = wanted / models.size() + 1;
  size_t tried = 0;
  for (const auto& [what, file] : models) tried += try_mutations(what, file, each);
  EXPECT_GE(tried, wanted);
  std::cout << tried << " mutations of " << models.size() << " models\n";
  RecordProperty("mutations", static_cast<int>(tried));
}

}  // namespace
}  // namespace muster
