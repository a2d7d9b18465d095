#include "muster/recipe/recipe.h"

#include <algorithm>

#include "muster/core/error.h"

namespace muster {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
}

bool is_value(std::string_view text) {
  return !text.empty() &&
         text.find_first_of("/+,=: \t\r\n'\"\\$`&|;<>()*?[]{}!#~") == std::string_view::npos;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + separator.size());
  }
}

StageSpec parse_stage(std::string_view text, std::string_view recipe) {
  const size_t colon = text.find(':');
  StageSpec stage{std::string(text.substr(0, colon)), {}};
  if (!is_name(stage.name))
    throw usage_error(
        "recipe '{}': '{}' is not a stage name (letters, digits, '-' and '_'); stages are joined "
        "by "
        "'/', as in dsift/bow:words=500/linear-svm",
        recipe, stage.name);
  if (colon == std::string_view::npos) return stage;
  for (std::string_view piece : split(text.substr(colon + 1), ",")) {
    const size_t equals = piece.find('=');
    if (equals == std::string_view::npos && !stage.options.empty() && is_value(piece)) {
      stage.options.back().second += ',' + std::string(piece);
      continue;
    }
    const std::string_view name = piece.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : piece.substr(equals + 1);
    if (!is_name(name) || !is_value(value))
      throw usage_error(
          "recipe '{}': stage {}: '{}' is not an option; options look like name=value and are "
          "separated by ','",
          recipe, stage.name, piece);
    if (std::ranges::any_of(stage.options,
                            [&](const auto& option) { return option.first == name; }))
      throw usage_error("recipe '{}': stage {}: option {} is given twice", recipe, stage.name,
                        name);
    stage.options.emplace_back(name, value);
  }
  return stage;
}

std::vector<StageSpec> parse_stages(std::string_view text, std::string_view recipe) {
  std::vector<StageSpec> stages;
  for (std::string_view part : split(text, "/")) stages.push_back(parse_stage(part, recipe));
  return stages;
}

std::string stages_text(const std::vector<StageSpec>& stages) {
  std::string text;
  for (const StageSpec& stage : stages) text += (text.empty() ? "" : "/") + stage.text();
  return text;
}

}  // namespace

std::string StageSpec::text() const {
  std::string out = name;
  for (size_t i = 0; i < options.size(); ++i)
    out += (i == 0 ? ":" : ",") + options[i].first + "=" + options[i].second;
  return out;
}

std::string Recipe::text() const {
  std::string out;
  for (const auto& branch : branches) out += (out.empty() ? "" : "+") + stages_text(branch);
  return joined.empty() ? out : out + "//" + stages_text(joined);
}

Recipe parse_recipe(std::string_view text) {
  if (text.empty())
    throw usage_error("recipe: it is empty; an example: dsift/bow:words=500/linear-svm");
  const std::vector<std::string_view> halves = split(text, "//");
  if (halves.size() > 2) throw usage_error("recipe '{}': '//' may stand once only", text);
  Recipe recipe;
  for (std::string_view branch : split(halves[0], "+"))
    recipe.branches.push_back(parse_stages(branch, text));
  if (halves.size() == 2) recipe.joined = parse_stages(halves[1], text);
  if (recipe.branches.size() == 1) {  // one branch needs no joining: a//b is a/b
    auto& only = recipe.branches.front();
    only.insert(only.end(), recipe.joined.begin(), recipe.joined.end());
    recipe.joined.clear();
  } else if (recipe.joined.empty()) {
    throw usage_error(
        "recipe '{}': branches joined by '+' need '//' and what follows them, as in "
        "dsift/bow+rgb/bow//linear-svm",
        text);
  }
  return recipe;
}

}  // namespace muster
