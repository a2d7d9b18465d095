// What the library made, as Python sees it.
#pragma once

#include <muster/muster.h>
#include <pybind11/numpy.h>

#include <optional>
#include <type_traits>
#include <vector>

#include "work.h"

namespace muster::python {

inline py::ssize_t extent(std::size_t count) { return static_cast<py::ssize_t>(count); }

// An array that takes over the values, without a copy.
template <class T>
py::array_t<T> array_of(std::vector<T> values, std::vector<py::ssize_t> shape) {
  auto* const owned = new std::vector<T>(std::move(values));
  const py::capsule owner(owned, [](void* p) { delete static_cast<std::vector<T>*>(p); });
  return py::array_t<T>(std::move(shape), owned->data(), owner);
}

inline py::array_t<float> array_of(Vectors vectors) {
  return array_of(std::move(vectors.values), {extent(vectors.rows), extent(vectors.dim)});
}

inline py::array_t<double> array_of(KernelMatrix kernel) {
  return array_of(std::move(kernel.values), {extent(kernel.rows), extent(kernel.cols)});
}

// A result of `job(options)`, with the options' threads, progress, notices and cancellation set.
template <class Options, class Job>
auto work_on(Work& work, bool is_short, Options options, const Job& job) {
  work.apply_to(options);
  std::optional<std::invoke_result_t<Job, const Options&>> out;
  work.run([&] { out = job(options); }, is_short);
  return *std::move(out);
}

}  // namespace muster::python
