// Errors: everything that muster throws is an Error with a kind; a bug aborts through MUSTER_CHECK.
// A message names the stage, option or file, the value, what is allowed and what to do.
#pragma once

#include <fmt/format.h>

#include "muster/core/error_type.h"

namespace muster {

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

// `what` is the work that was stopped, such as "train".
[[nodiscard]] inline Error cancelled_error(const std::string& what) {
  return Error(ErrorKind::kCancelled, what + ": cancelled");
}

[[noreturn]] void abort_on_bug(const char* condition, const char* file, int line);

}  // namespace muster

// Guards an invariant of ours, in every build type: a failure is a bug in muster, never a user's
// mistake.
#define MUSTER_CHECK(condition) \
  ((condition) ? (void)0 : ::muster::abort_on_bug(#condition, __FILE__, __LINE__))
