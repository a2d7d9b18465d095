// Model::explain for Python.
#pragma once

#include <filesystem>
#include <string>

#include "inputs.h"
#include "work.h"

namespace muster::python {

// The explanation of the one item, as a dictionary that muster._explain describes.
py::dict explain_item(const Model& model, const ItemViews& items, const std::string& class_name,
                      const std::string& against, int regions, bool leave_out, int map_side,
                      std::size_t patches, std::size_t deciding,
                      const std::filesystem::path& training, Work& work);

}  // namespace muster::python
