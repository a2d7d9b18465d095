// What `auto` tried, for people and programs: train and info show it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "muster/muster.h"

namespace muster::cli {

// One line per recipe.
std::string choice_table(const Choice& choice);
// What to expect of new items, or that nothing can be said.
std::string estimate_text(const Choice& choice, const std::string& measure);
nlohmann::ordered_json choice_json(const Choice& choice);

}  // namespace muster::cli
