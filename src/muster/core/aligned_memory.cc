#include "muster/core/aligned_memory.h"

#include <cstdint>
#include <cstdlib>
#include <new>

namespace muster {

#ifdef MUSTER_SANITIZED  // which sees what lies beyond a block only if the block is malloc's own

void* allocate_aligned(std::size_t bytes) {
  return ::operator new (bytes, std::align_val_t{kCacheLine});
}

void free_aligned(void* block) { ::operator delete (block, std::align_val_t{kCacheLine}); }

#else

// The block that malloc gave lies in front: its address is kept in the bytes before ours.
void* allocate_aligned(std::size_t bytes) {
  if (bytes > SIZE_MAX - kCacheLine) throw std::bad_alloc();
  char* given = static_cast<char*>(std::malloc(bytes + kCacheLine));
  if (given == nullptr) throw std::bad_alloc();
  static_assert(alignof(std::max_align_t) >= sizeof(char*));
  char* block = given + (kCacheLine - reinterpret_cast<std::uintptr_t>(given) % kCacheLine);
  reinterpret_cast<char**>(block)[-1] = given;
  return block;
}

void free_aligned(void* block) {
  if (block != nullptr) std::free(static_cast<char**>(block)[-1]);
}

#endif

}  // namespace muster
