#include "inputs.h"

#include <cstring>

namespace muster::python {
namespace {

std::string shape_text(const py::array& array) {
  return py::str(py::object(array.attr("shape"))).cast<std::string>();
}

std::string dtype_text(const py::array& array) {
  return py::str(py::object(array.dtype())).cast<std::string>();
}

std::string type_text(py::handle item) {
  return py::str(py::object(py::type::of(item).attr("__name__"))).cast<std::string>();
}

// A copy with rows one after the other; None if Python cannot make one (no memory).
py::array contiguous(const py::array& array, const char* type) {
  const py::object copied =
      py::module_::import("numpy").attr("ascontiguousarray")(array, py::arg("dtype") = type);
  return copied.cast<py::array>();
}

// Whether rows are a whole number of elements apart, without overlap, and hold theirs side by side.
bool rows_can_be_viewed(const py::array& array) {
  const py::ssize_t row = array.shape(1) * array.itemsize();
  return array.shape(0) == 0 || array.shape(1) == 0 ||
         (array.strides(1) == array.itemsize() && array.strides(0) % array.itemsize() == 0 &&
          array.strides(0) >= row) ||
         (array.shape(0) == 1 && array.strides(1) == array.itemsize());
}

bool is_float32(const py::array& array) { return py::isinstance<py::array_t<float>>(array); }

// float64, or float32 of the other byte order.
bool becomes_float32(const py::array& array) {
  return array.dtype().kind() == 'f' && (array.itemsize() == 4 || array.itemsize() == 8);
}

// (vectors, places), or (vectors, places or None, weights).
bool is_set_with_more(py::handle item) {
  if (!PyTuple_Check(item.ptr())) return false;
  const auto parts = py::reinterpret_borrow<py::tuple>(item);
  if (parts.size() != 2 && parts.size() != 3) return false;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!py::isinstance<py::array>(parts[i]) &&
        !(parts.size() == 3 && i == 1 && parts[i].is_none()))
      return false;
  return true;
}

std::string path_of(py::handle text) {
  const auto bytes = py::reinterpret_steal<py::bytes>(
      PyUnicode_EncodeFSDefault(py::object(py::reinterpret_borrow<py::object>(text)).ptr()));
  if (!bytes) throw py::error_already_set();
  return bytes;
}

}  // namespace

ItemViews::ItemViews(const py::sequence& items) {
  const std::size_t count = items.size();
  sets_.reserve(count);
  keep_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) add(py::object(items[i]));
}

ItemViews::ItemViews(py::array_t<float> values, const py::array_t<std::int64_t>& starts,
                     const py::array_t<std::int64_t>& stops,
                     std::optional<py::array_t<float>> places,
                     std::optional<py::array_t<float>> weights) {
  const auto from = starts.unchecked<1>(), to = stops.unchecked<1>();
  const auto dim = static_cast<std::size_t>(values.shape(1));
  const auto columns = places ? static_cast<std::size_t>(places->shape(1)) : 3;
  sets_.reserve(static_cast<std::size_t>(from.shape(0)));
  for (py::ssize_t i = 0; i < from.shape(0); ++i) {
    const auto begin = static_cast<std::size_t>(from(i));
    sets_.push_back({.vectors = values.data() + begin * dim,
                     .rows = static_cast<std::size_t>(to(i)) - begin,
                     .dim = dim,
                     .places = places ? places->data() + begin * columns : nullptr,
                     .place_columns = columns,
                     .weights = weights ? weights->data() + begin : nullptr});
    numbers_ += sets_.back().rows * dim;
  }
  keep_.push_back(std::move(values));
  if (places) keep_.push_back(*std::move(places));
  if (weights) keep_.push_back(*std::move(weights));
}

void ItemViews::refuse(const std::string& why) const {
  throw Error(ErrorKind::kData, "item " + std::to_string(number()) + ": " + why);
}

void ItemViews::add(py::handle item) {
  if (py::isinstance<py::array>(item)) {
    add_array(py::reinterpret_borrow<py::array>(item));
  } else if (PyUnicode_Check(item.ptr())) {
    add_other(std::filesystem::path(path_of(item)));
  } else if (PyBytes_Check(item.ptr())) {
    const std::string_view bytes = py::reinterpret_borrow<py::bytes>(item);
    keep_.push_back(py::reinterpret_borrow<py::object>(item));
    add_other(EncodedPicture{std::as_bytes(std::span(bytes))});
  } else if (is_set_with_more(item)) {
    add_tuple(py::reinterpret_borrow<py::tuple>(item));
  } else if (py::hasattr(item, "__fspath__")) {
    add_other(std::filesystem::path(path_of(py::object(item.attr("__fspath__")()))));
  } else if (py::hasattr(item, "mode") && py::hasattr(item, "convert")) {  // a picture of Pillow's
    const auto mode = item.attr("mode").cast<std::string>();
    const py::object picture = mode == "L" || mode == "RGB"
                                   ? py::reinterpret_borrow<py::object>(item)
                                   : py::object(item.attr("convert")("RGB"));
    add_picture(py::module_::import("numpy").attr("asarray")(picture).cast<py::array>());
  } else if (py::hasattr(item, "__array__")) {
    add_array(py::module_::import("numpy").attr("asarray")(item).cast<py::array>());
  } else {
    refuse("it is of type " + type_text(item) +
           "; give a NumPy array with one vector per row, (vectors, places), (vectors, places or "
           "None, weights), or for a picture a path, bytes, a Pillow image or a uint8 array");
  }
}

void ItemViews::add_array(const py::array& array) {
  if (py::isinstance<py::array_t<std::uint8_t>>(array)) return add_picture(array);
  add_set(array, std::nullopt, std::nullopt);
}

void ItemViews::add_tuple(const py::tuple& parts) {
  const auto part = [&](std::size_t i) {
    return i < parts.size() && !parts[i].is_none() ? std::optional(parts[i].cast<py::array>())
                                                   : std::nullopt;
  };
  add_set(parts[0].cast<py::array>(), part(1), part(2));
}

void ItemViews::add_set(py::array vectors, std::optional<py::array> places,
                        std::optional<py::array> weights) {
  for (const py::array& array : {vectors, places.value_or(vectors), weights.value_or(vectors)})
    if (!is_float32(array) && !becomes_float32(array))
      refuse("an array of dtype " + dtype_text(array) +
             "; allowed are float32 and float64 for vectors and uint8 for pixels; convert it with "
             ".astype(numpy.float32)");
  if (vectors.ndim() != 2)
    refuse("an array of shape " + shape_text(vectors) +
           "; a set has two dimensions, one vector per row");
  if (!is_float32(vectors) || !rows_can_be_viewed(vectors))
    vectors = contiguous(vectors, "float32");
  SetView view{.vectors = static_cast<const float*>(vectors.data()),
               .rows = static_cast<std::size_t>(vectors.shape(0)),
               .dim = static_cast<std::size_t>(vectors.shape(1))};
  if (view.rows > 1) view.stride = static_cast<std::size_t>(vectors.strides(0)) / sizeof(float);
  if (places) {
    if (places->ndim() != 2 || places->shape(0) != vectors.shape(0))
      refuse("places of shape " + shape_text(*places) + " for " + std::to_string(vectors.shape(0)) +
             " vectors; give one row (x, y) or (x, y, scale) "
             "per vector");
    places = contiguous(*places, "float32");
    view.places = static_cast<const float*>(places->data());
    view.place_columns = static_cast<std::size_t>(places->shape(1));
    keep_.push_back(*std::move(places));
  }
  if (weights) {
    if (weights->ndim() != 1 || weights->shape(0) != vectors.shape(0))
      refuse("weights of shape " + shape_text(*weights) + " for " +
             std::to_string(vectors.shape(0)) + " vectors; give one number per vector");
    weights = contiguous(*weights, "float32");
    view.weights = static_cast<const float*>(weights->data());
    keep_.push_back(*std::move(weights));
  }
  numbers_ += view.rows * view.dim;
  keep_.push_back(std::move(vectors));
  if (mixed_.empty())
    sets_.push_back(view);
  else
    mixed_.emplace_back(view);
}

void ItemViews::add_picture(py::array pixels) {
  if (pixels.ndim() != 2 && pixels.ndim() != 3)
    refuse("a uint8 array of shape " + shape_text(pixels) +
           "; a picture has the shape (height, width) or (height, width, 3)");
  if (!py::isinstance<py::array_t<std::uint8_t>>(pixels) || !(pixels.flags() & py::array::c_style))
    pixels = contiguous(pixels, "uint8");
  add_other(PixelView{.data = static_cast<const std::uint8_t*>(pixels.data()),
                      .width = static_cast<int>(pixels.shape(1)),
                      .height = static_cast<int>(pixels.shape(0)),
                      .channels = pixels.ndim() == 3 ? static_cast<int>(pixels.shape(2)) : 1});
  keep_.push_back(std::move(pixels));
}

void ItemViews::add_other(Input input) {
  if (mixed_.empty()) {
    mixed_.assign(sets_.begin(), sets_.end());
    mixed_.reserve(sets_.capacity());
  }
  mixed_.push_back(std::move(input));
}

}  // namespace muster::python
