// Byte-identical files: the same picture under two names, perhaps in two classes, or in training
// and test.
#pragma once

#include <vector>

#include "muster/dataset/dataset.h"

namespace muster {

struct DuplicateGroup {
  std::vector<size_t> items;  // two or more, in increasing order
  bool across_classes = false;
  bool across_splits = false;
};

// Groups in the order of their first item. Files are compared by size, then by a 64-bit hash, then
// byte by byte; only files that share a size are read. Files that cannot be read are left out. The
// hashing runs in parallel; the result does not depend on the number of threads.
std::vector<DuplicateGroup> find_duplicates(const Dataset& dataset);

}  // namespace muster
