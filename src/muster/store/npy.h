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
#include "muster/store/atomic_file.h"

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

// A file of rows x cols doubles ('<f8') that is written block by block, in any order, so that the
// array need not fit into memory. Every value must be written once; atomic, complete with commit().
// A device or a pipe takes whole rows in their order only.
class NpyBlockFile {
 public:
  NpyBlockFile(const std::filesystem::path& path, size_t rows, size_t cols);

  bool takes_any_order() const { return file_.seekable(); }
  // values(i, j) becomes the array's (row + i, col + j).
  void write(size_t row, size_t col, MatrixView<const double> values);
  // values(i, j) becomes the array's (row + j, col + i).
  void write_transposed(size_t row, size_t col, MatrixView<const double> values);
  void commit() { file_.commit(); }

 private:
  AtomicFile file_;
  size_t cols_;
  size_t data_at_;
};

}  // namespace muster
