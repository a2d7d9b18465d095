// Memory at cache-line boundaries.
#pragma once

#include <cstddef>

namespace muster {

inline constexpr std::size_t kCacheLine = 64;

// Throws std::bad_alloc. Unlike with std::aligned_alloc, a block that is freed can be given to the
// next one of its size: glibc asks for more than the block and returns the rest, so that the next
// one does not fit into its place, and matrices that come and go leave holes behind.
void* allocate_aligned(std::size_t bytes);
void free_aligned(void* block);

}  // namespace muster
