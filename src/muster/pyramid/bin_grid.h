// Nested grids of bins over vectors, for pyramids of histograms (PMK 3.1). A vector becomes
// integers
//
//   q_t = floor(scale x_t - origin_t + shift_t),     bins of level i:  floor(q_t / 2^i)
//
// and its key holds the bits of all q_t interleaved, highest first: two vectors share a bin of
// level i if their keys agree in all but the last i d bits. One sort of the keys therefore makes
// the bins of every level runs, in memory linear in the number of vectors, and nothing is hashed.
// Bins are aligned so that all of the sample falls into one bin of side 2^num_planes(); keys of
// vectors outside it are longer by as many bits as they need. Thread-safe.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "muster/core/matrix.h"
#include "muster/core/rng.h"
#include "muster/core/tensors.h"

namespace muster {

// Keys of one length, each `words` words, most significant first.
struct BinKeys {
  size_t dim = 0;
  int num_planes = 0;  // bits per coordinate
  size_t words = 1;
  std::vector<uint64_t> bits;

  BinKeys() = default;
  BinKeys(size_t dim, int num_planes, size_t count);
  size_t size() const { return bits.size() / words; }
  const uint64_t* key(size_t i) const { return bits.data() + i * words; }
  uint64_t* key(size_t i) { return bits.data() + i * words; }
};

// The finest level at which two keys of this length share a bin: 0 if they are equal, at most
// keys.num_planes.
int merge_level(const BinKeys& keys, const uint64_t* a, const uint64_t* b);
// Merge level of the first of all keys, and of what would follow the last.
inline constexpr int kNoNeighbour = std::numeric_limits<int>::max();
// To the least key in the same bin of a level.
void round_down(const BinKeys& keys, uint64_t* key, int level);
bool key_less(const BinKeys& keys, const uint64_t* a, const uint64_t* b);
// Indices by increasing key, equal keys by index. Radix sort: linear in the number of keys.
std::vector<uint32_t> sorted_order(const BinKeys& keys);

class BinGrid {
 public:
  // One grid per pyramid. With `shift` each is shifted by an amount uniform in [0, D) in every
  // dimension, D the largest range of a coordinate in the sample.
  BinGrid(double scale, ConstMatrixView sample, size_t num_pyramids, bool shift, Rng rng);
  explicit BinGrid(const TensorReader& in);
  void save(const TensorWriter& out) const;

  size_t dim() const { return offsets_.cols(); }
  size_t num_pyramids() const { return offsets_.rows(); }
  int num_planes() const { return num_planes_; }
  double scale() const { return scale_; }
  // In the order of the vectors. A coordinate that is not finite, or beyond 2^52 bins, is a data
  // error that names `stage`.
  BinKeys keys(const char* stage, ConstMatrixView vectors, size_t pyramid) const;
  // The same keys with more planes.
  void widen(BinKeys& keys, int num_planes) const;

 private:
  double scale_;
  Matrix<double> offsets_;  // shift - origin, pyramids x d
  int num_planes_;
};

}  // namespace muster
