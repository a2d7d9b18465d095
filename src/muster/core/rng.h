// One seed, many streams. A stream is derived by name or index (per item, never per thread), so the
// same seed gives the same bytes for any number of threads. There is no global generator, and the
// distributions are ours, since the standard library's differ between implementations.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace muster {

class Rng {
 public:
  explicit Rng(uint64_t seed);

  // Independent streams; deriving does not advance this one.
  Rng derive(std::string_view name) const;
  Rng derive(uint64_t index) const;

  uint64_t next();
  // Uniform in [0, 1).
  double uniform();
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  // Uniform in {0, ..., n - 1}; n > 0.
  uint64_t below(uint64_t n);
  // Standard normal.
  double normal();

  template <class T>
  void shuffle(std::span<T> values) {
    for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

  // `count` distinct indices out of [0, n), in increasing order; all of them when count >= n.
  std::vector<size_t> sample(size_t n, size_t count);

 private:
  uint64_t key_;
  uint64_t state_[4];
};

}  // namespace muster
