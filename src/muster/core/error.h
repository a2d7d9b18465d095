// Errors: a user's mistake throws one of these; a bug aborts through MUSTER_CHECK.
// A message names the stage, option or file, the value, what is allowed and what to do.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace muster {

// The command's exit codes (DESIGN: 0 ok, 1 run-time failure, 2 wrong usage, 3 bad data).
enum class ErrorKind { kRuntime = 1, kUsage = 2, kData = 3 };

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

template <class... Args>
[[nodiscard]] Error usage_error(fmt::format_string<Args...> text, Args&&... args) {
  return Error(ErrorKind::kUsage, fmt::format(text, std::forward<Args>(args)...));
}

template <class... Args>
[[nodiscard]] Error data_error(fmt::format_string<Args...> text, Args&&... args) {
  return Error(ErrorKind::kData, fmt::format(text, std::forward<Args>(args)...));
}

template <class... Args>
[[nodiscard]] Error runtime_failure(fmt::format_string<Args...> text, Args&&... args) {
  return Error(ErrorKind::kRuntime, fmt::format(text, std::forward<Args>(args)...));
}

[[noreturn]] void abort_on_bug(const char* condition, const char* file, int line);

}  // namespace muster

// Guards an invariant of ours, in every build type: a failure is a bug in muster, never a user's
// mistake.
#define MUSTER_CHECK(condition) \
  ((condition) ? (void)0 : ::muster::abort_on_bug(#condition, __FILE__, __LINE__))
