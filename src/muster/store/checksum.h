// XXH64 (Y. Collet's published specification), so that any tool can check our files: not a defence
// against intent, but every single flipped bit changes it. Several GB/s on one core.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace muster {

// The hash of the concatenation of everything passed to update().
class Checksum {
 public:
  explicit Checksum(uint64_t seed = 0);
  void update(std::span<const std::byte> bytes);
  uint64_t digest() const;

 private:
  void consume(const std::byte* stripes, size_t count);

  uint64_t seed_;
  uint64_t total_ = 0;
  std::array<uint64_t, 4> lanes_;
  std::array<std::byte, 32> pending_;
  size_t num_pending_ = 0;
};

uint64_t checksum_of(std::span<const std::byte> bytes, uint64_t seed = 0);

}  // namespace muster
