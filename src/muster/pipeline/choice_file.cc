#include "muster/pipeline/choice_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "muster/core/error.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

Effort effort_of(const std::string& name) {
  const auto found = std::ranges::find(kEffortNames, name);
  if (found == std::end(kEffortNames)) throw data_error("'{}' is not an effort", name);
  return static_cast<Effort>(found - std::begin(kEffortNames));
}

Choice::Tried tried_of(const Json& row) {
  Choice::Tried out;
  row.at("name").get_to(out.name);
  row.at("recipe").get_to(out.recipe);
  row.at("C").get_to(out.C);
  row.at("score").get_to(out.score);
  row.at("error").get_to(out.error);
  row.at("items").get_to(out.items);
  row.at("repeats").get_to(out.repeats);
  row.at("chosen").get_to(out.chosen);
  return out;
}

}  // namespace

std::string choice_text(const Choice& choice) {
  Json rows = Json::array();
  for (const Choice::Tried& tried : choice.tried)
    rows.push_back({{"name", tried.name},
                    {"recipe", tried.recipe},
                    {"C", tried.C},
                    {"score", tried.score},
                    {"error", tried.error},
                    {"items", tried.items},
                    {"repeats", tried.repeats},
                    {"chosen", tried.chosen}});
  Json out{{"effort", kEffortNames[static_cast<size_t>(choice.effort)]},
           {"seed", choice.seed},
           {"folds", choice.folds},
           {"tried", rows}};
  if (choice.estimate) {
    out["estimate"] = *choice.estimate;
    out["error"] = choice.error;
  }
  return out.dump();
}

Choice parse_choice(const std::string& text, const std::string& path) {
  try {
    const Json in = Json::parse(text);
    Choice out;
    out.effort = effort_of(in.at("effort").get<std::string>());
    in.at("seed").get_to(out.seed);
    in.at("folds").get_to(out.folds);
    for (const Json& row : in.at("tried")) out.tried.push_back(tried_of(row));
    if (in.contains("estimate")) {
      out.estimate = in.at("estimate").get<double>();
      in.at("error").get_to(out.error);
    }
    return out;
  } catch (const std::exception& error) {
    throw data_error(
        "{}: what it says of the choice of its method cannot be read ({}); the file "
        "is damaged",
        path, error.what());
  }
}

}  // namespace muster
