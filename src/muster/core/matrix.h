// Matrices and views of them. The layout, stated once: row-major, one vector per row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "muster/core/aligned_memory.h"
#include "muster/core/error.h"

namespace muster {

// Allocates at cache-line boundaries, so that every owned matrix starts aligned for SIMD.
template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(size_t n) { return static_cast<T*>(allocate_aligned(n * sizeof(T))); }
  void deallocate(T* p, size_t) { free_aligned(p); }
  bool operator==(const AlignedAllocator&) const = default;
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

// Does not own; `stride` is the distance between rows in elements.
template <class T>
struct MatrixView {
  T* data = nullptr;
  size_t rows = 0;
  size_t cols = 0;
  size_t stride = 0;

  MatrixView() = default;
  MatrixView(T* data, size_t rows, size_t cols) : MatrixView(data, rows, cols, cols) {}
  MatrixView(T* data, size_t rows, size_t cols, size_t stride)
      : data(data), rows(rows), cols(cols), stride(stride) {}

  T& operator()(size_t r, size_t c) const { return data[r * stride + c]; }
  std::span<T> row(size_t r) const { return {data + r * stride, cols}; }
  MatrixView slice_rows(size_t begin, size_t count) const {
    MUSTER_CHECK(begin + count <= rows);
    return {data + begin * stride, count, cols, stride};
  }
  bool empty() const { return rows == 0 || cols == 0; }

  operator MatrixView<const T>() const requires(!std::is_const_v<T>) {
    return {data, rows, cols, stride};
  }
};

template <class T>
class Matrix {
 public:
  Matrix() = default;
  // Zero-filled.
  Matrix(size_t rows, size_t cols) : rows_(rows), cols_(cols), values_(rows * cols) {}
  explicit Matrix(MatrixView<const T> view) : Matrix(view.rows, view.cols) {
    for (size_t r = 0; r < rows_; ++r) std::ranges::copy(view.row(r), row(r).begin());
  }

  size_t rows() const { return rows_; }
  size_t cols() const { return cols_; }
  size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  T& operator()(size_t r, size_t c) { return values_[r * cols_ + c]; }
  const T& operator()(size_t r, size_t c) const { return values_[r * cols_ + c]; }
  std::span<T> row(size_t r) { return {data() + r * cols_, cols_}; }
  std::span<const T> row(size_t r) const { return {data() + r * cols_, cols_}; }
  std::span<T> values() & { return values_; }
  std::span<const T> values() const& { return values_; }
  // Of a temporary they are handed over, so that a loop over them does not outlive them.
  AlignedVector<T> values() && { return std::move(values_); }

  MatrixView<T> view() { return {data(), rows_, cols_}; }
  MatrixView<const T> view() const { return {data(), rows_, cols_}; }
  operator MatrixView<T>() { return view(); }
  operator MatrixView<const T>() const { return view(); }

  // Keeps the first `rows` rows.
  void truncate_rows(size_t rows) {
    MUSTER_CHECK(rows <= rows_);
    rows_ = rows;
    values_.resize(rows * cols_);
  }

  bool operator==(const Matrix&) const = default;

 private:
  size_t rows_ = 0;
  size_t cols_ = 0;
  AlignedVector<T> values_;
};

using ConstMatrixView = MatrixView<const float>;

template <class T>
Matrix<std::remove_const_t<T>> select_rows(MatrixView<T> source, std::span<const size_t> rows) {
  Matrix<std::remove_const_t<T>> out(rows.size(), source.cols);
  for (size_t i = 0; i < rows.size(); ++i)
    std::ranges::copy(source.row(rows[i]), out.row(i).begin());
  return out;
}

}  // namespace muster
