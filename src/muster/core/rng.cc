#include "muster/core/rng.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_set>

#include "muster/core/error.h"

namespace muster {
namespace {

uint64_t splitmix64(uint64_t& x) {
  uint64_t z = (x += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = a ^ (b * 0xd1342543de82ef95u);
  splitmix64(x);
  return splitmix64(x);
}

uint64_t rotate_left(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

}  // namespace

Rng::Rng(uint64_t seed) : key_(seed) {
  uint64_t x = seed;
  for (uint64_t& word : state_) word = splitmix64(x);
}

Rng Rng::derive(std::string_view name) const {
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (unsigned char c : name) hash = (hash ^ c) * 0x100000001b3u;
  return Rng(mix(key_, hash));
}

Rng Rng::derive(uint64_t index) const { return Rng(mix(key_ + 0x632be59bd9b4e019u, index)); }

// xoshiro256** (Blackman and Vigna).
uint64_t Rng::next() {
  const uint64_t result = rotate_left(state_[1] * 5, 7) * 9;
  const uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = rotate_left(state_[3], 45);
  return result;
}

double Rng::uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

uint64_t Rng::below(uint64_t n) {
  MUSTER_CHECK(n > 0);
  const uint64_t threshold = (0 - n) % n;  // rejects the part that would bias small values
  for (;;) {
    const uint64_t x = next();
    if (x >= threshold) return x % n;
  }
}

double Rng::normal() {
  // Box-Muller, one value per call: a stream's position then depends on the number of calls only.
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

std::vector<size_t> Rng::sample(size_t n, size_t count) {
  std::vector<size_t> chosen;
  if (count >= n) {
    chosen.resize(n);
    for (size_t i = 0; i < n; ++i) chosen[i] = i;
    return chosen;
  }
  std::unordered_set<size_t> seen;  // Floyd's algorithm
  for (size_t j = n - count; j < n; ++j) {
    const size_t t = below(j + 1);
    chosen.push_back(seen.insert(t).second ? t : j);
    seen.insert(chosen.back());
  }
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace muster
