#include "muster/store/checksum.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace muster {
namespace {

static_assert(std::endian::native == std::endian::little, "file formats here are little-endian");

constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87, kPrime2 = 0xC2B2AE3D27D4EB4F,
                   kPrime3 = 0x165667B19E3779F9, kPrime4 = 0x85EBCA77C2B2AE63,
                   kPrime5 = 0x27D4EB2F165667C5;

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

uint64_t round(uint64_t lane, uint64_t word) {
  return std::rotl(lane + word * kPrime2, 31) * kPrime1;
}

uint64_t finish(uint64_t hash, std::span<const std::byte> rest) {
  const std::byte* p = rest.data();
  size_t left = rest.size();
  for (; left >= 8; p += 8, left -= 8)
    hash = std::rotl(hash ^ round(0, load<uint64_t>(p)), 27) * kPrime1 + kPrime4;
  for (; left >= 4; p += 4, left -= 4)
    hash = std::rotl(hash ^ load<uint32_t>(p) * kPrime1, 23) * kPrime2 + kPrime3;
  for (; left > 0; ++p, --left)
    hash = std::rotl(hash ^ std::to_integer<uint64_t>(*p) * kPrime5, 11) * kPrime1;
  hash = (hash ^ hash >> 33) * kPrime2;
  hash = (hash ^ hash >> 29) * kPrime3;
  return hash ^ hash >> 32;
}

}  // namespace

Checksum::Checksum(uint64_t seed)
    : seed_(seed), lanes_{seed + kPrime1 + kPrime2, seed + kPrime2, seed, seed - kPrime1} {}

void Checksum::consume(const std::byte* stripes, size_t count) {
  std::array<uint64_t, 4> lanes = lanes_;
  for (size_t i = 0; i < count; ++i, stripes += 32)
    for (size_t lane = 0; lane < 4; ++lane)
      lanes[lane] = round(lanes[lane], load<uint64_t>(stripes + 8 * lane));
  lanes_ = lanes;
}

void Checksum::update(std::span<const std::byte> bytes) {
  total_ += bytes.size();
  if (num_pending_ > 0) {
    const size_t taken = std::min(bytes.size(), pending_.size() - num_pending_);
    std::copy_n(bytes.begin(), taken, pending_.begin() + num_pending_);
    num_pending_ += taken;
    bytes = bytes.subspan(taken);
    if (num_pending_ < pending_.size()) return;
    consume(pending_.data(), 1);
    num_pending_ = 0;
  }
  consume(bytes.data(), bytes.size() / 32);
  const auto rest = bytes.last(bytes.size() % 32);
  std::ranges::copy(rest, pending_.begin());
  num_pending_ = rest.size();
}

uint64_t Checksum::digest() const {
  uint64_t hash = seed_ + kPrime5;
  if (total_ >= 32) {
    hash = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) +
           std::rotl(lanes_[3], 18);
    for (uint64_t lane : lanes_) hash = (hash ^ round(0, lane)) * kPrime1 + kPrime4;
  }
  return finish(hash + total_, std::span(pending_).first(num_pending_));
}

uint64_t checksum_of(std::span<const std::byte> bytes, uint64_t seed) {
  Checksum sum(seed);
  sum.update(bytes);
  return sum.digest();
}

}  // namespace muster
