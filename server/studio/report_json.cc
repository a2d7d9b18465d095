#include "server/studio/report_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace muster::server {
namespace {

using nlohmann::ordered_json;

constexpr size_t kMostMistakes = 24, kMostLeftOut = 100;

ordered_json confusion(const FitReport& report, const std::vector<std::string>& class_names) {
  std::vector<std::vector<size_t>> counts(class_names.size(),
                                          std::vector<size_t>(class_names.size()));
  const auto index = [&](const std::string& name) {
    return static_cast<size_t>(std::ranges::find(class_names, name) - class_names.begin());
  };
  for (const HeldOutAnswer& one : report.held_out) ++counts[index(one.label)][index(one.predicted)];
  return {{"classes", class_names}, {"counts", counts}};
}

ordered_json mistakes(const FitReport& report) {
  std::vector<HeldOutAnswer> wrong;
  std::ranges::copy_if(report.held_out, std::back_inserter(wrong),
                       [](const HeldOutAnswer& one) { return one.predicted != one.label; });
  std::ranges::stable_sort(wrong, std::greater(), &HeldOutAnswer::probability);
  ordered_json out = ordered_json::array();
  for (const HeldOutAnswer& one : wrong) {
    if (out.size() == kMostMistakes) break;
    out.push_back({{"class", one.label},
                   {"file", one.item.substr(one.label.size() + 1)},
                   {"predicted", one.predicted},
                   {"probability", one.probability}});
  }
  return out;
}

}  // namespace

ordered_json choice_json(const Choice& choice) {
  ordered_json out{{"folds", choice.folds}};
  if (choice.estimate) {
    out["accuracy"] = *choice.estimate;
    out["error"] = choice.error;
  }
  out["tried"] = ordered_json::array();
  for (const Choice::Tried& one : choice.tried)
    out["tried"].push_back({{"name", one.name},
                            {"recipe", one.recipe},
                            {"score", one.score},
                            {"error", one.error},
                            {"items", one.items},
                            {"seconds", one.seconds},
                            {"chosen", one.chosen}});
  return out;
}

ordered_json report_json(const FitReport& report, const std::vector<std::string>& class_names) {
  ordered_json out = report.choice ? choice_json(*report.choice) : ordered_json::object();
  out["items"] = report.items;
  if (!report.held_out.empty()) {
    out["confusion"] = confusion(report, class_names);
    out["mistakes"] = mistakes(report);
  }
  out["left_out"] = ordered_json::array();
  for (const LeftOut& one : report.left_out)
    if (out["left_out"].size() < kMostLeftOut)
      out["left_out"].push_back({{"item", one.item}, {"reason", one.reason}});
  return out;
}

}  // namespace muster::server
