// The main function of the programs that measure explanations.
#include <cstdio>

#include "explain/run.h"
#include "muster/core/error.h"

int main(int argc, char** argv) try {
  return muster::bench::run({argv + 1, argv + argc});
} catch (const muster::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return static_cast<int>(error.kind());
}
