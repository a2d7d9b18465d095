#include "muster/api/item_labels.h"

#include <algorithm>
#include <set>

#include "muster/core/error.h"

namespace muster {
namespace {

Labels number_classes(std::span<const std::vector<std::string>> labels) {
  std::set<std::string> names;
  for (size_t i = 0; i < labels.size(); ++i)
    for (const std::string& label : labels[i]) {
      if (label.empty()) throw data_error("item {}: its label is empty; give a text", i + 1);
      names.insert(label);
    }
  Labels out;
  out.class_names.assign(names.begin(), names.end());
  for (const std::vector<std::string>& own : labels) {
    std::set<int> numbers;
    for (const std::string& label : own)
      numbers.insert(static_cast<int>(std::ranges::lower_bound(out.class_names, label) -
                                      out.class_names.begin()));
    out.of_item.emplace_back(numbers.begin(), numbers.end());
  }
  return out;
}

void require_one_each(size_t num_labels, size_t num_items) {
  if (num_labels != num_items)
    throw usage_error("{} labels for {} items: give one entry per item", num_labels, num_items);
}

}  // namespace

Labels make_labels(std::span<const std::string> labels, size_t num_items) {
  require_one_each(labels.size(), num_items);
  std::vector<std::vector<std::string>> lists;
  for (const std::string& label : labels) lists.push_back({label});
  return number_classes(lists);
}

Labels make_labels(std::span<const std::vector<std::string>> labels, size_t num_items) {
  require_one_each(labels.size(), num_items);
  Labels out = number_classes(labels);
  out.multi_label = true;
  return out;
}

Labels in_model_classes(const Labels& labels, const std::vector<std::string>& model_classes) {
  std::vector<int> number;
  for (const std::string& name : labels.class_names) {
    const auto found = std::ranges::find(model_classes, name);
    if (found == model_classes.end())
      throw data_error("the data has a class '{}' that the model does not know; it knows: {}", name,
                       fmt::join(model_classes, ", "));
    number.push_back(static_cast<int>(found - model_classes.begin()));
  }
  Labels out = labels;
  out.class_names = model_classes;
  for (auto* lists : {&out.of_item, &out.difficult})
    for (std::vector<int>& list : *lists) {
      for (int& label : list) label = number[static_cast<size_t>(label)];
      std::ranges::sort(list);
    }
  return out;
}

}  // namespace muster
