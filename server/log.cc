#include "server/log.h"

#include <fmt/chrono.h>
#include <unistd.h>

#include <chrono>

namespace muster::server {

std::string dump(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void log_event(const std::string& event, nlohmann::ordered_json fields) {
  const auto now = std::chrono::system_clock::now();
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  nlohmann::ordered_json line{
      {"time", fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                           fmt::gmtime(std::chrono::system_clock::to_time_t(now)), milliseconds)},
      {"event", event}};
  if (fields.is_object()) line.update(fields);
  const std::string text = dump(line) + "\n";
  // A log that cannot be written is no reason to stop serving.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace muster::server
