// The main function of a test program that mpirun starts on several ranks, each of which runs all
// tests.
#pragma once

#include <gtest/gtest.h>

#include "muster/cluster/world.h"

namespace muster {

inline int run_tests_on_ranks(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  join_world();
  const int code = RUN_ALL_TESTS();
  const auto codes = world().farewell(code, 10);
  if (!codes) world().abort(1);
  for (const int of_rank : *codes)
    if (of_rank != 0) return of_rank;
  return 0;
}

}  // namespace muster
