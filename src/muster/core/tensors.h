// Named arrays: what a fitted stage saves itself into and loads itself from. store/ puts them on
// disk.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/matrix.h"

namespace muster {

enum class DType { kU8, kF16, kI32, kU32, kF32, kI64, kU64, kF64 };

size_t dtype_size(DType dtype);
// The safetensors spelling: "U8", "F16", "F32", ...
const char* dtype_name(DType dtype);

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, uint8_t>)
    return DType::kU8;
  else if constexpr (std::is_same_v<T, int32_t>)
    return DType::kI32;
  else if constexpr (std::is_same_v<T, uint32_t>)
    return DType::kU32;
  else if constexpr (std::is_same_v<T, float>)
    return DType::kF32;
  else if constexpr (std::is_same_v<T, int64_t>)
    return DType::kI64;
  else if constexpr (std::is_same_v<T, uint64_t>)
    return DType::kU64;
  else if constexpr (std::is_same_v<T, double>)
    return DType::kF64;
}

// Bytes may be owned or point into a mapped file; `owner` keeps them alive.
struct Tensor {
  DType dtype = DType::kF32;
  std::vector<size_t> shape;
  const std::byte* data = nullptr;
  size_t num_bytes = 0;
  std::shared_ptr<const void> owner;

  size_t num_elements() const;
};

struct TensorMap {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

// Writes under a prefix into a map that others own; copies what it is given, and refuses numbers
// that are not finite, which could not be read again. It is a handle, so a const one writes as
// well.
class TensorWriter {
 public:
  explicit TensorWriter(TensorMap& map, std::string prefix = "")
      : map_(&map), prefix_(std::move(prefix)) {}
  TensorWriter scope(const std::string& name) const {
    return TensorWriter(*map_, prefix_ + name + ".");
  }

  template <class T>
  void put(const std::string& name, MatrixView<const T> values) const {
    std::vector<T> packed;
    packed.reserve(values.rows * values.cols);
    for (size_t r = 0; r < values.rows; ++r)
      packed.insert(packed.end(), values.row(r).begin(), values.row(r).end());
    put_bytes(name, dtype_of<T>(), {values.rows, values.cols}, packed.data());
  }
  template <class T>
  void put(const std::string& name, const Matrix<T>& values) const {
    put(name, values.view());
  }
  template <class T>
  void put(const std::string& name, const std::vector<T>& values) const {
    put_bytes(name, dtype_of<T>(), {values.size()}, values.data());
  }
  void put(const std::string& name, double value) const { put(name, std::vector<double>{value}); }
  void put_text(const std::string& name, const std::string& value) const {
    map_->metadata[prefix_ + name] = value;
  }

 private:
  void put_bytes(const std::string& name, DType dtype, std::vector<size_t> shape,
                 const void* data) const;

  TensorMap* map_;
  std::string prefix_;
};

// Reads under a prefix. An array that is missing, of another type or shape, or that holds a number
// which is not finite is a data error: what a stage gets from here can be computed with.
class TensorReader {
 public:
  explicit TensorReader(const TensorMap& map, std::string prefix = "")
      : map_(&map), prefix_(std::move(prefix)) {}
  TensorReader scope(const std::string& name) const {
    TensorReader out(*map_, prefix_ + name + ".");
    out.input_dim_ = input_dim_;
    return out;
  }
  // The same for a stage that gets vectors of this width; its scopes know it, too.
  TensorReader with_input_dim(size_t width) const {
    TensorReader out = *this;
    out.input_dim_ = width;
    return out;
  }
  // What a stage was fitted on must be what it gets, if that is known here.
  void require_input_dim(size_t width) const {
    require(!input_dim_ || *input_dim_ == width, "it is for vectors of another dimension");
  }

  bool has(const std::string& name) const { return map_->tensors.contains(prefix_ + name); }
  template <class T>
  Matrix<T> matrix(const std::string& name) const {
    const Tensor& tensor = find(name, dtype_of<T>(), 2);
    Matrix<T> out(tensor.shape[0], tensor.shape[1]);
    if (tensor.num_bytes > 0) std::memcpy(out.data(), tensor.data, tensor.num_bytes);
    return out;
  }
  template <class T>
  std::vector<T> values(const std::string& name) const {
    const Tensor& tensor = find(name, dtype_of<T>(), 1);
    std::vector<T> out(tensor.shape[0]);
    if (tensor.num_bytes > 0) std::memcpy(out.data(), tensor.data, tensor.num_bytes);
    return out;
  }
  // The same of exactly this shape.
  template <class T>
  Matrix<T> matrix(const std::string& name, size_t rows, size_t cols) const {
    Matrix<T> out = matrix<T>(name);
    require_shape(name, {out.rows(), out.cols()}, {rows, cols});
    return out;
  }
  template <class T>
  std::vector<T> values(const std::string& name, size_t count) const {
    std::vector<T> out = values<T>(name);
    require_shape(name, {out.size()}, {count});
    return out;
  }
  double number(const std::string& name) const;
  // A number that counts something: whole, from 0 to 2^31.
  size_t count(const std::string& name) const;
  bool has_text(const std::string& name) const { return map_->metadata.contains(prefix_ + name); }
  std::string text(const std::string& name) const;
  // Throws a data error that says what does not fit.
  void require(bool condition, const char* what) const;

 private:
  const Tensor& find(const std::string& name, DType dtype, size_t rank) const;
  void require_shape(const std::string& name, std::initializer_list<size_t> shape,
                     std::initializer_list<size_t> expected) const;

  const TensorMap* map_;
  std::string prefix_;
  std::optional<size_t> input_dim_;
};

}  // namespace muster
