// The log: one JSON object per line on stderr, each with a time and an event.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace muster::server {

// Thread-safe; a line is written as a whole.
void log_event(const std::string& event, nlohmann::ordered_json fields = {});

// For the JSON that the server writes: names of files and classes need not be UTF-8.
std::string dump(const nlohmann::ordered_json& value);

}  // namespace muster::server
