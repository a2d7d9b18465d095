#include "robust/mutations.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <limits>

#include "muster/core/rng.h"

namespace muster {
namespace {

Tensor with_bytes(DType dtype, std::vector<size_t> shape, std::vector<std::byte> bytes) {
  const auto owner = std::make_shared<std::vector<std::byte>>(std::move(bytes));
  return {dtype, std::move(shape), owner->data(), owner->size(), owner};
}

std::vector<std::byte> bytes_of(const Tensor& tensor) {
  return {tensor.data, tensor.data + tensor.num_bytes};
}

// The bytes repeated or cut to fit the shape.
Tensor reshaped(const Tensor& tensor, std::vector<size_t> shape) {
  size_t count = dtype_size(tensor.dtype);
  for (const size_t extent : shape) count *= extent;
  std::vector<std::byte> bytes(count);
  for (size_t i = 0; i < count && tensor.num_bytes > 0; ++i)
    bytes[i] = tensor.data[i % tensor.num_bytes];
  return with_bytes(tensor.dtype, std::move(shape), std::move(bytes));
}

void add_shapes(const std::string& name, const Tensor& tensor, std::vector<Mutation>& out) {
  const auto add = [&](const std::string& what, std::vector<size_t> shape) {
    out.push_back({name + ": " + what, [name, shape = std::move(shape)](TensorMap& map) {
                     map.tensors[name] = reshaped(map.tensors[name], shape);
                   }});
  };
  for (size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    const auto changed = [&](size_t extent) {
      std::vector<size_t> shape = tensor.shape;
      shape[axis] = extent;
      return shape;
    };
    const std::string which = "axis " + std::to_string(axis);
    const size_t now = tensor.shape[axis];
    add(which + " one more", changed(now + 1));
    add(which + " tripled", changed(3 * now + 2));
    if (now > 0) add(which + " one less", changed(now - 1));
    add(which + " none", changed(0));
    add(which + " one", changed(1));
  }
  if (tensor.shape.size() == 2) add("transposed", {tensor.shape[1], tensor.shape[0]});
  std::vector<size_t> deeper = tensor.shape;
  deeper.push_back(1);
  add("one dimension more", std::move(deeper));
  add("flat", {tensor.num_elements()});
}

void add_types(const std::string& name, const Tensor& tensor, std::vector<Mutation>& out) {
  for (const DType dtype : {DType::kU8, DType::kF16, DType::kI32, DType::kU32, DType::kF32,
                            DType::kI64, DType::kU64, DType::kF64}) {
    if (dtype == tensor.dtype) continue;
    out.push_back({name + ": type " + dtype_name(dtype), [name, dtype](TensorMap& map) {
                     Tensor old = map.tensors[name];
                     old.dtype = dtype;
                     map.tensors[name] = reshaped(old, old.shape);
                   }});
  }
}

template <class T>
void add_values_of_type(const std::string& name, const Tensor& tensor, std::vector<Mutation>& out) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values{T{0}, T{1}, T{2}, static_cast<T>(-1), Limits::max(), Limits::lowest()};
  if constexpr (std::is_floating_point_v<T>)
    values.insert(values.end(), {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(),
                                 Limits::denorm_min(), Limits::min(), static_cast<T>(1e30),
                                 static_cast<T>(-1e15), static_cast<T>(0.5)});
  const size_t count = tensor.num_elements();
  for (const T value : values) {
    const auto put = [&](const std::string& where, size_t first, size_t last) {
      out.push_back({fmt::format("{}: {} is {}", name, where, value),
                     [name, value, first, last](TensorMap& map) {
                       const Tensor& old = map.tensors[name];
                       std::vector<std::byte> bytes = bytes_of(old);
                       for (size_t i = first; i < last; ++i)
                         std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
                       map.tensors[name] = with_bytes(old.dtype, old.shape, std::move(bytes));
                     }});
    };
    put("all of it", 0, count);
    for (const size_t place : {size_t{0}, count / 2, count - 1})
      put("value " + std::to_string(place), place, place + 1);
  }
}

void add_values(const std::string& name, const Tensor& tensor, std::vector<Mutation>& out) {
  if (tensor.num_elements() == 0) return;
  switch (tensor.dtype) {
    case DType::kU8:
      return add_values_of_type<uint8_t>(name, tensor, out);
    case DType::kI32:
      return add_values_of_type<int32_t>(name, tensor, out);
    case DType::kU32:
      return add_values_of_type<uint32_t>(name, tensor, out);
    case DType::kF32:
      return add_values_of_type<float>(name, tensor, out);
    case DType::kI64:
      return add_values_of_type<int64_t>(name, tensor, out);
    case DType::kU64:
      return add_values_of_type<uint64_t>(name, tensor, out);
    case DType::kF64:
      return add_values_of_type<double>(name, tensor, out);
    case DType::kF16:  // by their bits: NaN and infinity among them
      for (const uint8_t byte : {0x00, 0x7C, 0x7E, 0xFC, 0xFF})
        out.push_back({fmt::format("{}: all bytes {}", name, byte), [name, byte](TensorMap& map) {
                         const Tensor& old = map.tensors[name];
                         map.tensors[name] =
                             with_bytes(old.dtype, old.shape,
                                        std::vector<std::byte>(old.num_bytes, std::byte{byte}));
                       }});
  }
}

void add_flips(const std::string& name, const Tensor& tensor, std::vector<Mutation>& out) {
  for (uint64_t i = 0; i < 6 && tensor.num_bytes > 0; ++i)
    out.push_back({fmt::format("{}: flip {}", name, i), [name, i](TensorMap& map) {
                     const Tensor& old = map.tensors[name];
                     std::vector<std::byte> bytes = bytes_of(old);
                     Rng rng = Rng(i).derive(name);
                     bytes[rng.below(bytes.size())] ^= std::byte{1} << rng.below(8);
                     map.tensors[name] = with_bytes(old.dtype, old.shape, std::move(bytes));
                   }});
}

void add_texts(const std::string& key, const std::string& text, std::vector<Mutation>& out) {
  out.push_back({key + ": missing", [key](TensorMap& map) { map.metadata.erase(key); }});
  const auto add = [&](const std::string& changed) {
    out.push_back({fmt::format("{}: '{}'", key, changed),
                   [key, changed](TensorMap& map) { map.metadata[key] = changed; }});
  };
  for (const char* other : {"", "x", "0", "-1", "99999999999999999999", "[]", "[1]", "{}", "null",
                            "true", "false", "[\"a\",\"a\",\"b\"]", "[\"a\",\"b\"]", "nan"})
    add(other);
  add(text.substr(0, text.size() / 2));
  add(text + text);
  // Every number in it, such as an option of the recipe.
  for (size_t at = 0; at < text.size(); ++at) {
    if (!std::isdigit(static_cast<unsigned char>(text[at]))) continue;
    size_t end = at;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
    for (const char* number : {"0", "1", "2", "7", "100000"})
      add(text.substr(0, at) + number + text.substr(end));
    at = end;
  }
}

char current[1024];

extern "C" void name_mutation(int signal) {
  const ssize_t ignored = ::write(STDERR_FILENO, current, std::strlen(current));
  (void)ignored;
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace

std::vector<Mutation> all_mutations(const TensorMap& map) {
  std::vector<Mutation> out;
  for (const auto& [name, tensor] : map.tensors) {
    out.push_back({name + ": missing", [name = name](TensorMap& m) { m.tensors.erase(name); }});
    add_shapes(name, tensor, out);
    add_types(name, tensor, out);
    add_values(name, tensor, out);
    add_flips(name, tensor, out);
  }
  for (const auto& [key, text] : map.metadata) add_texts(key, text, out);
  return out;
}

size_t wanted_mutations(size_t usual) {
  const char* wanted = std::getenv("MUSTER_MUTATIONS");
  return wanted ? static_cast<size_t>(std::atoll(wanted)) : usual;
}

std::vector<Mutation> some_of(std::vector<Mutation> all, size_t count) {
  if (all.size() <= count) return all;
  std::vector<Mutation> out;
  for (size_t i = 0; i < count; ++i) out.push_back(std::move(all[i * all.size() / count]));
  return out;
}

void watch_mutation(const std::string& name) {
  std::snprintf(current, sizeof(current), "\nthe mutation was %s\n", name.c_str());
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM, SIGPROF})
    ::signal(signal, name_mutation);
  const itimerval busy{.it_interval = {}, .it_value = {.tv_sec = 20, .tv_usec = 0}};
  ::setitimer(ITIMER_PROF, &busy, nullptr);
  ::alarm(600);
}

}  // namespace muster
