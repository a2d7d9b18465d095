// The log: one JSON object per line on stderr, each with a time and an event.
#pragma once

#include <exception>
#include <nlohmann/json.hpp>
#include <string>

namespace muster::server {

// Thread-safe; a line is written as a whole.
void log_event(const std::string& event, nlohmann::ordered_json fields = {});

// Does what the server can do without, such as a count or a line of the log: memory may run out
// anywhere, and neither a thread nor a callback of a C library may throw. False if it failed.
template <class Work>
bool if_possible(const Work& work) noexcept {
  try {
    work();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

// For the JSON that the server writes: names of files and classes need not be UTF-8.
std::string dump(const nlohmann::ordered_json& value);

}  // namespace muster::server
