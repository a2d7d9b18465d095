#include "muster/core/memory.h"

#include <sys/resource.h>

#include <fstream>
#include <string>

namespace muster {

double peak_memory_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

double peak_memory_since_reset_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  return peak_memory_mib();
}

}  // namespace muster
