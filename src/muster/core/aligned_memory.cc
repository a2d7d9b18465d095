#include "muster/core/aligned_memory.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace muster {

#ifdef MUSTER_SANITIZED  // which sees what lies beyond a block only if the block is malloc's own

void* allocate_aligned(std::size_t bytes) {
  return ::operator new (bytes, std::align_val_t{kCacheLine});
}

void free_aligned(void* block) { ::operator delete (block, std::align_val_t{kCacheLine}); }

#else

namespace {

// Lies in front of a block.
struct Header {
  char* given;  // by malloc
  std::size_t bytes;
};
static_assert(sizeof(Header) <= alignof(std::max_align_t));

Header& header_of(void* block) { return static_cast<Header*>(block)[-1]; }

// Large blocks that a thread has freed last, for its next ones: given back, malloc would return
// them to the system, which fills every page with zeros when it is touched again.
// Without a destructor, since matrices of static storage are freed after those of a thread.
class FreedBlocks {
 public:
  // One of at least so many bytes and not of many more; nullptr if there is none.
  void* take(std::size_t bytes) {
    for (void*& block : blocks_)
      if (block != nullptr && header_of(block).bytes >= bytes &&
          header_of(block).bytes <= bytes + bytes / 4)
        return std::exchange(block, nullptr);
    return nullptr;
  }
  // In place of the oldest.
  void keep(void* block) {
    if (closed_) return std::free(header_of(block).given);
    void*& place = blocks_[next_++ % blocks_.size()];
    if (place != nullptr) std::free(header_of(place).given);
    place = block;
  }
  // The thread ends.
  void close() {
    closed_ = true;
    for (void*& block : blocks_)
      if (block != nullptr) std::free(header_of(std::exchange(block, nullptr)).given);
  }

 private:
  std::array<void*, 4> blocks_{};
  std::size_t next_ = 0;
  bool closed_ = false;
};

constexpr std::size_t kLeastKept = std::size_t{64} << 10, kMostKept = std::size_t{4} << 20;

bool is_kept(std::size_t bytes) { return bytes >= kLeastKept && bytes <= kMostKept; }

thread_local constinit FreedBlocks freed_blocks;
struct EndOfThread {
  ~EndOfThread() { freed_blocks.close(); }
};

void keep_for_this_thread(void* block) {
  thread_local const EndOfThread end;
  freed_blocks.keep(block);
}

}  // namespace

void* allocate_aligned(std::size_t bytes) {
  if (bytes > SIZE_MAX - kCacheLine) throw std::bad_alloc();
  if (is_kept(bytes))
    if (void* block = freed_blocks.take(bytes)) return block;
  char* given = static_cast<char*>(std::malloc(bytes + kCacheLine));
  if (given == nullptr) throw std::bad_alloc();
  char* block = given + (kCacheLine - reinterpret_cast<std::uintptr_t>(given) % kCacheLine);
  header_of(block) = {given, bytes};
  return block;
}

void free_aligned(void* block) {
  if (block == nullptr) return;
  if (is_kept(header_of(block).bytes))
    keep_for_this_thread(block);
  else
    std::free(header_of(block).given);
}

#endif

}  // namespace muster
