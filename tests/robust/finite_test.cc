// Finite in, finite out: vectors of any size, sets of any kind. Training and prediction either say
// that the data cannot be used, or give probabilities.
#include <gtest/gtest.h>

#include <cstdlib>

#include "robust/mutations.h"
#include "robust/recipes.h"

namespace muster {
namespace {

constexpr float kScales[] = {1e-40f, 1e-30f, 1e-19f, 1e-10f, 1e-3f, 1e4f,
                             1e10f,  1e15f,  1e17f,  1e19f,  1e30f, 3e38f};

// To be predicted: as the model knows them, and as it never saw.
PlacedSets odd_sets(float scale) {
  PlacedSets out(2, scale);
  for (const contract::NamedSet& odd : contract::degenerate_sets()) out.add(odd.set, odd.name);
  for (const float value : {0.0f, 1e-40f, 1e15f, -1e15f, 3e38f}) {
    VectorSet set = contract::random_set(3, 9);
    for (float& component : set.vectors.values()) component = value;
    out.add(std::move(set), "constant");
  }
  return out;
}

std::string fault_of_training(const std::string& recipe, const PlacedSets& training, float scale) {
  TrainOptions options;
  options.recipe = recipe;
  try {
    const Model model = train(training.views, training.labels, options);
    const std::vector<Answer> answers = model.predict(odd_sets(scale).views);
    if (std::string fault = fault_of(answers); !fault.empty()) return fault;
    // What was trained can be read again, and says the same.
    const std::vector<Answer> again = load(model.bytes()).predict(odd_sets(scale).views);
    for (size_t i = 0; i < answers.size(); ++i)
      if (bool(answers[i]) != bool(again[i]) ||
          (answers[i] && answers[i]->probabilities() != again[i]->probabilities()))
        return fmt::format("item {} is another once the model is loaded", i);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData && error.kind() != ErrorKind::kUsage) return error.what();
  } catch (const std::exception& error) {
    return fmt::format("not an Error: {}", error.what());
  }
  return "";
}

// All sets equal, all empty but some, one vector each.
std::vector<PlacedSets> odd_trainings() {
  std::vector<PlacedSets> out;
  for (int k = 0; k < 3; ++k) out.emplace_back(0);
  for (size_t i = 0; i < 12; ++i) {
    const std::string label = "class" + std::to_string(i % 3);
    out[0].add(contract::degenerate_sets()[3].set, label);
    out[1].add(i < 4 ? contract::random_set(3, i) : contract::degenerate_sets()[0].set, label);
    out[2].add(contract::random_set(1, i), label);
  }
  return out;
}

TEST(FiniteInFiniteOut, ForEveryRecipeAndScale) {
  const std::vector<std::string> recipes = small_recipes();
  const std::vector<PlacedSets> odd = odd_trainings();
  const size_t cases = std::size(kScales) + odd.size();
  // One of the cases for each recipe, another for the next one; all of them in the full run.
  const size_t step = std::getenv("MUSTER_ALL_SCALES") ? 1 : cases;
  size_t tried = 0;
  for (size_t k = 0; k < recipes.size() * cases; ++k) {
    const size_t r = k / cases, c = k % cases;
    if ((c + cases - r % cases) % step != 0) continue;
    watch_mutation(fmt::format("{}\ncase {}", recipes[r], c));
    const bool scaled = c < std::size(kScales);
    const float scale = scaled ? kScales[c] : 1;
    const PlacedSets own(scaled ? 12 : 0, scale);
    EXPECT_EQ(fault_of_training(recipes[r], scaled ? own : odd[c - std::size(kScales)], scale), "")
        << recipes[r] << "\nscale " << scale << ", case " << c;
    ++tried;
  }
  std::cout << tried << " trainings of " << recipes.size() << " recipes\n";
}

}  // namespace
}  // namespace muster
