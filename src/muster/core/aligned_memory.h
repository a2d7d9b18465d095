// Memory at cache-line boundaries.
#pragma once

#include <cstddef>

namespace muster {

inline constexpr std::size_t kCacheLine = 64;

// Throws std::bad_alloc. Blocks that are freed make room for others of their size. With
// std::aligned_alloc they do not: glibc asks for more than the block and returns the rest, so that
// the next block does not fit into its place, and matrices that come and go leave holes behind.
void* allocate_aligned(std::size_t bytes);
void free_aligned(void* block);

}  // namespace muster
