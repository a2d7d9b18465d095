#include "choice_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "muster/pipeline/choice_file.h"

namespace muster::cli {
namespace {

// With a larger standard error an estimate says next to nothing.
constexpr double kSaysNothing = 0.15;

}  // namespace

std::string choice_table(const Choice& choice) {
  if (choice.folds == 0) return fmt::format("chosen untried: {}\n", choice.tried[0].name);
  std::string out;
  size_t width = 0;
  for (const Choice::Tried& tried : choice.tried) width = std::max(width, tried.name.size());
  for (const Choice::Tried& tried : choice.tried) {
    out += fmt::format("  {:<{}}  {:5.1f} ± {:.1f} %", tried.name, width, 100 * tried.score,
                       100 * tried.error);
    if (tried.seconds > 0) out += fmt::format("  {:5.1f} s", tried.seconds);
    out += fmt::format("  {} items, {} x {} folds{}\n", tried.items, tried.repeats, choice.folds,
                       tried.chosen ? "  <- chosen" : "");
  }
  return out;
}

std::string estimate_text(const Choice& choice, const std::string& measure) {
  if (!choice.estimate)
    return fmt::format("{} on new items: there are too few items to say\n", measure);
  return fmt::format("{} by cross-validation: {:.1f} ± {:.1f} %{}\n", measure,
                     100 * *choice.estimate, 100 * choice.error,
                     choice.error > kSaysNothing ? " (too few items to say)" : "");
}

nlohmann::ordered_json choice_json(const Choice& choice) {
  nlohmann::ordered_json out = nlohmann::ordered_json::parse(choice_text(choice));
  for (size_t i = 0; i < choice.tried.size(); ++i)
    if (choice.tried[i].seconds > 0) out["tried"][i]["seconds"] = choice.tried[i].seconds;
  return out;
}

}  // namespace muster::cli
