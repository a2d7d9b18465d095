// How much memory there is, and how much the process has used.
#pragma once

#include <cstddef>

namespace muster {

// Of the machine, or what the process may take of it if it runs in a container with less.
size_t machine_memory_bytes();

// The most resident since the process began.
double peak_memory_mib();

// The most resident since the last reset, or since the process began if the system allows no
// reset.
void reset_peak_memory();
double peak_memory_since_reset_mib();

}  // namespace muster
