// NumPy's .npy arrays as matrices, in and out (format versions 1, 2, 3).
// Read: little-endian f2, f4, f8, i1 to i8, u1 to u8 and bool, C or Fortran order, two dimensions.
// Everything the header says is checked against the size of the file before anything is allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "muster/core/matrix.h"

namespace muster {

// A checked header and the bytes it describes, not yet converted.
struct NpyArray {
  char kind = 'f';  // f float, i signed, u unsigned, b bool
  size_t item_bytes = 4;
  bool fortran_order = false;
  std::vector<size_t> shape;
  std::span<const std::byte> data;
};

// A malformed header, another element type, missing or surplus bytes are a data error; `name` is
// for messages.
NpyArray parse_npy(std::span<const std::byte> bytes, const std::string& name);

// T is float or double. An array that is not n x d, and a value that is NaN or infinite (after
// conversion to T), is a data error; the latter names row and column.
template <class T>
Matrix<T> npy_to_matrix(const NpyArray& array, const std::string& name);

template <class T>
Matrix<T> read_npy(const std::filesystem::path& path);

// T is float, double or int64_t: '<f4', '<f8', '<i8', C order, format version 1.
template <class T>
std::vector<std::byte> npy_bytes(MatrixView<const T> values);

// Atomic.
template <class T>
void write_npy(const std::filesystem::path& path, MatrixView<const T> values);
template <class T>
void write_npy(const std::filesystem::path& path, const Matrix<T>& values) {
  write_npy(path, values.view());
}

}  // namespace muster
