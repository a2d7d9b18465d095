// Labels as texts become Labels, and labels of some classes those of a model.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "muster/core/labels.h"

namespace muster {

// Classes in byte order. An empty text is a data error. `num_items` must agree (a usage error).
Labels make_labels(std::span<const std::string> labels, size_t num_items);
Labels make_labels(std::span<const std::vector<std::string>> labels, size_t num_items);

// The same labels in the model's numbering of classes; a class that the model does not know is a
// data error.
Labels in_model_classes(const Labels& labels, const std::vector<std::string>& model_classes);

}  // namespace muster
