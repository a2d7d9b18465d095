// Small data sets on disk, in a folder that is removed after the test.
#pragma once

#include <fmt/format.h>

#include <numeric>

#include "muster/dataset/dataset.h"
#include "muster/draw/synth.h"
#include "muster/image/decode.h"
#include "muster/store/npy.h"
#include "support/temp_dir.h"

namespace muster {

// root/CLASS/N.png, drawn by draw/synth.h.
inline void put_pictures(const TempDir& folder, int classes, int per_class, int side) {
  const std::vector<std::string> names = synth_class_names(classes);
  for (int c = 0; c < classes; ++c)
    for (int i = 0; i < per_class; ++i) {
      const Rng rng = Rng(7).derive(static_cast<uint64_t>(c)).derive(static_cast<uint64_t>(i));
      const std::vector<std::byte> bytes = encode_png(synth_image(c, side, side, rng));
      folder.put(fmt::format("{}/{}.png", names[static_cast<size_t>(c)], i),
                 std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    }
}

// Vectors around a centre of the class; classes are easy to tell apart.
inline Matrix<float> class_vectors(size_t rows, size_t dim, int label, Rng rng) {
  Matrix<float> out(rows, dim);
  for (size_t r = 0; r < rows; ++r)
    for (size_t t = 0; t < dim; ++t)
      out(r, t) = static_cast<float>((t % 3 == static_cast<size_t>(label % 3) ? 1 : 0) +
                                     0.4 * rng.normal());
  return out;
}

inline std::filesystem::path put_set(const TempDir& folder, const std::string& name,
                                     const Matrix<float>& vectors) {
  const std::vector<std::byte> bytes =
      npy_bytes<float>(vectors);  // not write_npy, which syncs to disk
  return folder.put(name, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

// root/CLASS/N.npy, sets of 4 to 20 vectors.
inline void put_sets(const TempDir& folder, int classes, int per_class, size_t dim) {
  for (int c = 0; c < classes; ++c)
    for (int i = 0; i < per_class; ++i) {
      Rng rng = Rng(11).derive(static_cast<uint64_t>(c)).derive(static_cast<uint64_t>(i));
      const size_t rows = 4 + rng.below(17);
      put_set(folder, fmt::format("class{}/{}.npy", c, i), class_vectors(rows, dim, c, rng));
    }
}

inline std::vector<size_t> all_items(const Dataset& dataset) {
  std::vector<size_t> items(dataset.items.size());
  std::iota(items.begin(), items.end(), size_t{0});
  return items;
}

}  // namespace muster
