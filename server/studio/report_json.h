// What a training found, as the studio's page shows it and as FOLDER/.studio/report.json keeps it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "muster/muster.h"

namespace muster::server {

// What was tried, and the accuracy to expect: all that a model file tells of itself.
nlohmann::ordered_json choice_json(const Choice& choice);

// That, and what was said of the training pictures in cross-validation: confusions, and the most
// confident mistakes.
nlohmann::ordered_json report_json(const FitReport& report,
                                   const std::vector<std::string>& class_names);

}  // namespace muster::server
