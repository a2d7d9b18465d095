// What Python hands over, seen by muster: views of NumPy's memory, paths, and the bytes of
// pictures.
#pragma once

#include <muster/muster.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <optional>
#include <vector>

namespace muster::python {

namespace py = pybind11;

// Keeps every Python object that it views alive; made and destroyed with the GIL held.
class ItemViews {
 public:
  // Arrays of float32 with one vector per row are viewed where they are; float64 and other strides
  // are copied.
  // Anything that is not an array, (vectors, places), (vectors, places or None, weights), a path,
  // bytes or a picture is a data error that names the item.
  explicit ItemViews(const py::sequence& items);
  // Set i is rows starts[i] to stops[i] of `values`, of which there must be so many (the caller
  // sees to it).
  ItemViews(py::array_t<float> values, const py::array_t<std::int64_t>& starts,
            const py::array_t<std::int64_t>& stops, std::optional<py::array_t<float>> places,
            std::optional<py::array_t<float>> weights);

  Inputs inputs() const { return mixed_.empty() ? Inputs(sets_) : Inputs(mixed_); }
  std::size_t size() const { return mixed_.empty() ? sets_.size() : mixed_.size(); }
  // Numbers per vector of the first set; 0 for pictures, files and no items.
  std::size_t dim() const { return mixed_.empty() && !sets_.empty() ? sets_[0].dim : 0; }
  // Few enough numbers that any work on them is over before somebody could interrupt it.
  bool few() const { return mixed_.empty() && numbers_ <= std::size_t{1} << 14; }

 private:
  void add(py::handle item);
  void add_array(const py::array& array);
  void add_tuple(const py::tuple& parts);
  void add_set(py::array vectors, std::optional<py::array> places,
               std::optional<py::array> weights);
  void add_picture(py::array pixels);
  void add_other(Input input);
  // Counted from 1, as muster counts in its messages.
  std::size_t number() const { return size() + 1; }
  [[noreturn]] void refuse(const std::string& why) const;

  std::vector<SetView> sets_;  // as long as there is nothing else
  std::vector<Input> mixed_;   // from then on
  std::vector<py::object> keep_;
  std::size_t numbers_ = 0;
};

}  // namespace muster::python
