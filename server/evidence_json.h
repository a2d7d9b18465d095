// An explanation as the server gives it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "muster/muster.h"

namespace muster::server {

// Which places and vectors speak for the class: the map if vectors have places, else the evidence
// of each vector; the strongest patches; the training items that decided.
nlohmann::ordered_json evidence_json(const Explanation& explanation);

}  // namespace muster::server
