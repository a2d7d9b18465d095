// How much memory the process has used.
#pragma once

namespace muster {

// The most resident since the process began.
double peak_memory_mib();

// The most resident since the last reset, or since the process began if the system allows no
// reset.
void reset_peak_memory();
double peak_memory_since_reset_mib();

}  // namespace muster
