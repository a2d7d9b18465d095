// Peers that use OpenBLAS are to run on its best code. Debian's version does not know newer AVX-512
// CPUs and takes code for very old ones unless told by the environment, which it reads when it is
// loaded: so the program starts itself again with that set.
#pragma once

#include <unistd.h>

#include <cstdlib>

#include "peers/side_by_side.h"

namespace muster::bench {

// To be called before any work.
inline void restart_with_best_openblas(const Arguments& args) {
  if (std::getenv("OPENBLAS_CORETYPE")) return;
  __builtin_cpu_init();
  setenv("OPENBLAS_CORETYPE", __builtin_cpu_supports("avx512f") ? "SkylakeX" : "Haswell", 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  setenv("OMP_NUM_THREADS", "1", 1);
  execv("/proc/self/exe", args.all);
}

}  // namespace muster::bench
