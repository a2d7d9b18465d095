// Every stage: its options, its recipe text, its page.
#include <filesystem>
#include <set>

#include "contract/contract.h"
#include "support/expect_error.h"

namespace muster::contract {
namespace {

class EveryStage : public ::testing::TestWithParam<StageCase> {};

std::vector<StageCase> every_stage() {
  std::vector<StageCase> out;
  for (const StageEntry& entry : all_stages()) out.push_back(make_case(entry));
  return out;
}
INSTANTIATE_TEST_SUITE_P(Contract, EveryStage, ::testing::ValuesIn(every_stage()), case_name);

// Values of no kind of number, and numbers beyond any range.
std::vector<std::string> bad_values(const Field& field) {
  const std::string type = field.type(), allowed = field.allowed();
  if (type == "text" || type == "list of texts") return {"", "%", "%0"};
  std::vector<std::string> out{"nonsense", ""};
  const bool has_low =
      allowed.find(" to ") != std::string::npos || allowed.find(" or more") != std::string::npos;
  const bool has_high =
      allowed.find(" to ") != std::string::npos || allowed.find("at most ") != std::string::npos;
  const bool whole = type == "integer" || type == "list of integers";
  if (whole || type == "number" || type == "number or auto") {
    out.insert(out.end(), {"nan", "1e", "0x", "99999999999999999999x"});
    if (has_low) out.push_back(whole ? "-2147483648" : "-1e300");
    if (has_high) out.push_back(whole ? "2147483647" : "1e300");
  }
  if (whole) out.insert(out.end(), {"1.5", "99999999999"});
  if (type == "list of integers") out.insert(out.end(), {"8,", ",8", "8,x"});
  return out;
}

TEST_P(EveryStage, DefaultsAreValid) {
  const std::unique_ptr<AnyOptions> options = GetParam().entry->make_options();
  EXPECT_NO_THROW(options->validate(GetParam().entry->name));
  std::set<std::string> names;
  for (const Field& field : options->fields().list()) {
    EXPECT_TRUE(names.insert(field.name()).second) << field.name() << " is there twice";
    EXPECT_FALSE(field.help().empty()) << field.name();
  }
}

TEST_P(EveryStage, RefusesBadValuesAndSaysWhatIsAllowed) {
  const std::string& name = GetParam().entry->name;
  const std::unique_ptr<AnyOptions> options = GetParam().entry->make_options();
  for (const Field& field : options->fields().list()) {
    const std::string before = field.text();
    for (const std::string& value : bad_values(field)) {
      EXPECT_ERROR(options->set(name, field.name(), value), kUsage, name);
      EXPECT_ERROR(options->set(name, field.name(), value), kUsage, field.name() + "=" + value);
      EXPECT_ERROR(options->set(name, field.name(), value), kUsage, field.allowed());
      EXPECT_EQ(field.text(), before) << "changed by the refused value " << value;
    }
  }
}

TEST_P(EveryStage, RefusesUnknownOptions) {
  const std::string& name = GetParam().entry->name;
  EXPECT_ERROR(GetParam().entry->make_options()->set(name, "no_such_option", "1"), kUsage, name);
  EXPECT_ERROR(GetParam().entry->make_options()->set(name, "no_such_option", "1"), kUsage,
               "no_such_option");
}

TEST_P(EveryStage, FullTextReadsBackAsTheSameStage) {
  for (const StageCase& tested : settings_of(*GetParam().entry)) {
    const StageSpec spec = tested.stage.full_spec();
    const Recipe recipe = parse_recipe(spec.text());
    ASSERT_EQ(recipe.branches.size(), 1u) << spec.text();
    ASSERT_EQ(recipe.branches[0].size(), 1u) << spec.text();
    EXPECT_EQ(recipe.branches[0][0], spec);
    std::shared_ptr<AnyOptions> again = tested.entry->make_options();
    for (const auto& [option, value] : recipe.branches[0][0].options)
      again->set(spec.name, option, value);
    EXPECT_EQ((PlannedStage{tested.entry, again}.full_spec()), spec);
  }
}

TEST_P(EveryStage, IsDescribedAndHasAPage) {
  const StageEntry& entry = *GetParam().entry;
  EXPECT_FALSE(entry.summary.empty());
  EXPECT_FALSE(entry.paper.empty());
  const auto page =
      std::filesystem::path(MUSTER_SOURCE_DIR) / "docs" / "methods" / (entry.name + ".md");
  EXPECT_TRUE(std::filesystem::exists(page)) << page;
}

TEST(Registry, NamesAreUniqueAndFound) {
  std::set<std::string> stages, presets;
  for (const StageEntry& entry : all_stages()) {
    EXPECT_TRUE(stages.insert(entry.name).second) << entry.name;
    EXPECT_EQ(&find_stage(entry.name), &entry);
  }
  for (const Preset& preset : all_presets()) {
    EXPECT_TRUE(presets.insert(preset.name).second) << preset.name;
    EXPECT_EQ(&find_preset(preset.name), &preset);
    EXPECT_FALSE(preset.summary.empty());
  }
}

TEST(Registry, PresetsAreRecipesOfKnownStages) {
  const ModelVariable network(network_file());
  for (const Preset& preset : all_presets()) {
    if (needs_network(parse_recipe(preset.recipe)) && network_file().empty()) continue;
    const Plan plan = plan_recipe(parse_recipe(preset.recipe));
    EXPECT_TRUE(plan.classifier) << preset.name;
    EXPECT_EQ(plan_recipe(plan.recipe()).recipe(), plan.recipe()) << preset.name;
  }
}

TEST(Registry, UnknownNamesGetASuggestion) {
  EXPECT_ERROR(find_stage("bwo"), kUsage, "bow");
  EXPECT_ERROR(find_preset("bow-liner"), kUsage, "bow-linear");
}

}  // namespace
}  // namespace muster::contract
