// What the contract tests share: every stage of the registry in several settings, small enough to
// fit in milliseconds, and the sets that every method must survive.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "muster/core/parallel.h"
#include "muster/recipe/plan.h"
#include "support/networks.h"

namespace muster::contract {

inline constexpr size_t kDim = 12;
inline constexpr uint64_t kSeed = 7;

// Options by which a stage grows, if it has them.
struct SmallValue {
  const char* option;
  const char* value;
};
inline constexpr SmallValue kSmall[] = {
    {"words", "8"},         {"components", "3"}, {"dim", "8"},
    {"samples", "300"},     {"iterations", "5"}, {"folds", "3"},
    {"em_iterations", "5"}, {"draws", "200"},    {"sides", "64"}};

// The network that dnn takes in these tests; empty if it is not in this build.
inline const std::string& network_file() {
  static const TempDir folder;
  static const std::string file =
      have_networks() ? folder.put("net.onnx", small_network().file("mean")).string() : "";
  return file;
}

// A stage in one setting: the small one, or the small one with one choice or switch turned.
struct StageCase {
  const StageEntry* entry;
  PlannedStage stage;
  std::string name;  // a test's name: letters, digits, '_'
};

inline void PrintTo(const StageCase& tested, std::ostream* out) {
  *out << tested.stage.full_spec().text();
}

inline std::string test_name(const std::string& text) {
  std::string out = text;
  for (char& c : out)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return out;
}

inline StageCase make_case(const StageEntry& entry, const std::string& option = "",
                           const std::string& value = "") {
  std::shared_ptr<AnyOptions> options = entry.make_options();
  for (const SmallValue& small : kSmall)
    if (options->fields().find(small.option)) options->set(entry.name, small.option, small.value);
  if (option.empty()) return {&entry, {&entry, options}, test_name(entry.name)};
  options->set(entry.name, option, value);
  return {&entry, {&entry, options}, test_name(entry.name + "_" + option + "_" + value)};
}

// The small setting, then one case for every other value of every choice and switch, and a pyramid.
inline std::vector<StageCase> settings_of(const StageEntry& entry) {
  std::vector<StageCase> out{make_case(entry)};
  const std::unique_ptr<AnyOptions> defaults = entry.make_options();
  for (const Field& field : defaults->fields().list()) {
    std::vector<std::string> values = field.choices();
    if (field.type() == "true or false") values = {"true", "false"};
    if (field.type() == "number or auto") values = {"auto"};
    if (field.name() == "levels") values = {"2"};
    for (const std::string& value : values)
      if (value != field.text()) out.push_back(make_case(entry, field.name(), value));
  }
  return out;
}

template <class... Stages>
std::vector<StageCase> cases_of_kind() {
  std::vector<StageCase> out;
  for (const StageEntry& entry : all_stages())
    if ((std::holds_alternative<Stages>(entry.functions) || ...))
      for (StageCase& tested : settings_of(entry)) out.push_back(std::move(tested));
  return out;
}

inline std::string case_name(const ::testing::TestParamInfo<StageCase>& info) {
  return info.param.name;
}

inline bool needs_network(const Recipe& recipe) {
  for (const auto& branch : recipe.branches)
    if (branch[0].name == "dnn") return true;
  return false;
}

// Names the network for the rest of the scope, or skips the test if it needs one and there is none.
#define MUSTER_NETWORK_OR_SKIP(needed)              \
  const ModelVariable muster_model(network_file()); \
  if ((needed) && network_file().empty()) GTEST_SKIP() << "dnn is not in this build"

// A setting may be refused (a local kernel that a method cannot take): then in words that name the
// stage.
#define MUSTER_FIT_OR_SKIP(variable, expression)                                         \
  decltype(expression) variable = nullptr;                                               \
  try {                                                                                  \
    variable = expression;                                                               \
  } catch (const Error& error) {                                                         \
    EXPECT_EQ(error.kind(), ErrorKind::kUsage) << error.what();                          \
    EXPECT_NE(std::string(error.what()).find(GetParam().entry->name), std::string::npos) \
        << error.what();                                                                 \
    EXPECT_NE(GetParam().name, test_name(GetParam().entry->name))                        \
        << "refuses its own defaults: " << error.what();                                 \
    return;                                                                              \
  }

// Non-negative, as histograms and SIFT are: three clusters with a spread.
inline Matrix<float> random_vectors(size_t rows, size_t cols, Rng rng) {
  Matrix<float> out(rows, cols);
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < cols; ++c)
      out(r, c) = static_cast<float>((c % 3 == r % 3 ? 0.6 : 0.1) + 0.3 * rng.uniform());
  return out;
}

inline Sample random_sample(size_t rows, uint64_t seed = kSeed) {
  Sample sample{random_vectors(rows, kDim, Rng(seed).derive("sample")), {}, 3};
  for (size_t r = 0; r < rows; ++r) sample.labels.push_back(static_cast<int>(r % 3));
  return sample;
}

inline VectorSet with_places(Matrix<float> vectors, Rng rng) {
  VectorSet set{std::move(vectors), {}, 64, 64};
  set.places = Matrix<float>(set.size(), 3);
  for (float& place : set.places.values()) place = static_cast<float>(rng.uniform());
  return set;
}

inline VectorSet random_set(size_t size, uint64_t seed) {
  return with_places(random_vectors(size, kDim, Rng(seed).derive("set")),
                     Rng(seed).derive("places"));
}

inline std::vector<VectorSet> random_sets(size_t count) {
  std::vector<VectorSet> out;
  for (size_t i = 0; i < count; ++i) out.push_back(random_set(5 + 7 * i % 40, 100 + i));
  return out;
}

struct NamedSet {
  const char* name;
  VectorSet set;
};

inline std::vector<NamedSet> degenerate_sets() {
  const auto filled = [](size_t rows, float value) {
    Matrix<float> vectors(rows, kDim);
    for (float& v : vectors.values()) v = value;
    return with_places(std::move(vectors), Rng(kSeed));
  };
  VectorSet duplicates = random_set(1, 3);
  const std::vector<size_t> again(9, 0);
  duplicates.vectors = select_rows(duplicates.vectors.view(), again);
  duplicates.places = select_rows(duplicates.places.view(), again);
  VectorSet large = random_set(20, 4);
  for (float& v : large.vectors.values()) v *= 1e4f;
  return {{"empty", filled(0, 0)},    {"one vector", random_set(1, 3)},
          {"duplicates", duplicates}, {"constant", filled(7, 0.5f)},
          {"zero", filled(5, 0)},     {"large", large}};
}

inline VectorSet shuffled(const VectorSet& set) {
  std::vector<size_t> order(set.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  Rng(kSeed).shuffle(std::span(order));
  VectorSet out = set;
  out.vectors = select_rows(set.vectors.view(), order);
  out.places = select_rows(set.places.view(), order);
  return out;
}

inline void expect_same_bytes(const TensorMap& a, const TensorMap& b) {
  EXPECT_EQ(a.metadata, b.metadata);
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (const auto& [name, tensor] : a.tensors) {
    const auto other = b.tensors.find(name);
    ASSERT_NE(other, b.tensors.end()) << name;
    EXPECT_EQ(tensor.dtype, other->second.dtype) << name;
    EXPECT_EQ(tensor.shape, other->second.shape) << name;
    ASSERT_EQ(tensor.num_bytes, other->second.num_bytes) << name;
    EXPECT_TRUE(tensor.num_bytes == 0 ||
                std::memcmp(tensor.data, other->second.data, tensor.num_bytes) == 0)
        << name << " differs";
  }
}

template <class Saves>
TensorMap saved(const Saves& model) {
  TensorMap map;
  model.save(TensorWriter(map));
  return map;
}

template <class Values>
bool all_finite(const Values& values) {
  for (auto value : values)
    if (!std::isfinite(value)) return false;
  return true;
}

// Of the largest value, so that components near zero do not count.
template <class A, class B>
double relative_difference(const A& a, const B& b) {
  double difference = 0, largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference =
        std::max(difference, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    largest = std::max(largest, std::abs(static_cast<double>(a[i])));
  }
  return largest > 0 ? difference / largest : difference;
}

}  // namespace muster::contract
