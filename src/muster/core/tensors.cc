#include "muster/core/tensors.h"

#include <algorithm>
#include <cmath>

namespace muster {

size_t dtype_size(DType dtype) {
  switch (dtype) {
    case DType::kU8:
      return 1;
    case DType::kF16:
      return 2;
    case DType::kI32:
    case DType::kU32:
    case DType::kF32:
      return 4;
    case DType::kI64:
    case DType::kU64:
    case DType::kF64:
      return 8;
  }
  MUSTER_CHECK(false);
  return 0;
}

const char* dtype_name(DType dtype) {
  switch (dtype) {
    case DType::kU8:
      return "U8";
    case DType::kF16:
      return "F16";
    case DType::kI32:
      return "I32";
    case DType::kU32:
      return "U32";
    case DType::kF32:
      return "F32";
    case DType::kI64:
      return "I64";
    case DType::kU64:
      return "U64";
    case DType::kF64:
      return "F64";
  }
  MUSTER_CHECK(false);
  return "";
}

size_t Tensor::num_elements() const {
  size_t count = 1;
  for (size_t extent : shape) count *= extent;
  return count;
}

namespace {

template <class T>
bool all_finite(const Tensor& tensor) {
  for (size_t i = 0; i < tensor.num_bytes / sizeof(T); ++i) {
    T value;
    std::memcpy(&value, tensor.data + i * sizeof(T), sizeof(T));
    if (!std::isfinite(value)) return false;
  }
  return true;
}

// Halves are read by those who store features, which check them (check_set.h).
bool is_finite(const Tensor& tensor) {
  if (tensor.dtype == DType::kF32) return all_finite<float>(tensor);
  return tensor.dtype != DType::kF64 || all_finite<double>(tensor);
}

}  // namespace

void TensorWriter::put_bytes(const std::string& name, DType dtype, std::vector<size_t> shape,
                             const void* data) const {
  Tensor tensor{dtype, std::move(shape), nullptr, 0, nullptr};
  tensor.num_bytes = tensor.num_elements() * dtype_size(dtype);
  std::shared_ptr<std::byte[]> copy(new std::byte[tensor.num_bytes]);
  if (tensor.num_bytes > 0) std::memcpy(copy.get(), data, tensor.num_bytes);
  tensor.data = copy.get();
  tensor.owner = std::move(copy);
  if (!is_finite(tensor))
    throw data_error(
        "what was learned is out of the range of numbers (array '{}{}'); the vectors are too "
        "large, too small or too much alike for this method: scale them, or choose another",
        prefix_, name);
  map_->tensors[prefix_ + name] = std::move(tensor);
}

const Tensor& TensorReader::find(const std::string& name, DType dtype, size_t rank) const {
  const auto found = map_->tensors.find(prefix_ + name);
  if (found == map_->tensors.end())
    throw data_error(
        "model file: array '{}{}' is missing; the file is damaged or of another version", prefix_,
        name);
  const Tensor& tensor = found->second;
  if (tensor.dtype != dtype || tensor.shape.size() != rank)
    throw data_error("model file: array '{}{}' is {} with {} dimensions, expected {} with {}",
                     prefix_, name, dtype_name(tensor.dtype), tensor.shape.size(),
                     dtype_name(dtype), rank);
  if (!is_finite(tensor))
    throw data_error("model file: array '{}{}' holds a number that is not finite", prefix_, name);
  return tensor;
}

double TensorReader::number(const std::string& name) const {
  const std::vector<double> one = values<double>(name);
  if (one.size() != 1) throw data_error("model file: '{}{}' should be one number", prefix_, name);
  return one[0];
}

size_t TensorReader::count(const std::string& name) const {
  const double value = number(name);
  if (!(value >= 0 && value <= 2147483648.0 && value == std::floor(value)))
    throw data_error("model file: '{}{}' is {}; expected a whole number from 0 on", prefix_, name,
                     value);
  return static_cast<size_t>(value);
}

void TensorReader::require_shape(const std::string& name, std::initializer_list<size_t> shape,
                                 std::initializer_list<size_t> expected) const {
  if (!std::ranges::equal(shape, expected))
    throw data_error("model file: array '{}{}' is {}, expected {}", prefix_, name,
                     fmt::join(shape, " x "), fmt::join(expected, " x "));
}

std::string TensorReader::text(const std::string& name) const {
  const auto found = map_->metadata.find(prefix_ + name);
  if (found == map_->metadata.end())
    throw data_error(
        "model file: entry '{}{}' is missing; the file is damaged or of another version", prefix_,
        name);
  return found->second;
}

void TensorReader::require(bool condition, const char* what) const {
  if (!condition) throw data_error("model file: '{}' does not fit: {}", prefix_, what);
}

}  // namespace muster
