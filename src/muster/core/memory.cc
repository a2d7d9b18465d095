#include "muster/core/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <string>

namespace muster {
namespace {

// The system forgets the peak of the whole process, too, when it is reset.
std::atomic<double> peak_before_resets{0};

double peak_of_system() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

size_t machine_memory_bytes() {
  const auto pages = static_cast<size_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
  size_t out = pages * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  std::ifstream limit("/sys/fs/cgroup/memory.max");  // "max" or a number
  if (size_t bytes = 0; limit >> bytes) out = std::min(out, bytes);
  return out;
}

double peak_memory_mib() { return std::max(peak_before_resets.load(), peak_of_system()); }

void reset_peak_memory() {
  peak_before_resets = peak_memory_mib();
  std::ofstream("/proc/self/clear_refs") << "5";
}

double peak_memory_since_reset_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  return peak_memory_mib();
}

}  // namespace muster
