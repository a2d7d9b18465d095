#include "muster/core/error.h"

#include <cstdio>
#include <cstdlib>

namespace muster {

void abort_on_bug(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "muster: bug: %s does not hold (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace muster
