#pragma once

namespace muster {

// Set by the build from the project's version.
inline constexpr const char* kVersion = MUSTER_VERSION;

}  // namespace muster
