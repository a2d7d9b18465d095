#include "muster/core/labels.h"

#include <algorithm>
#include <map>

namespace muster {

bool Labels::single_label() const {
  return !multi_label &&
         std::ranges::all_of(of_item, [](const auto& labels) { return labels.size() == 1; });
}

int Labels::target(size_t item, int label) const {
  if (!difficult.empty() && std::ranges::binary_search(difficult[item], label)) return 0;
  return std::ranges::binary_search(of_item[item], label) ? 1 : -1;
}

Labels Labels::select(std::span<const size_t> items) const {
  Labels out;
  out.class_names = class_names;
  out.multi_label = !single_label();
  for (size_t item : items) {
    out.of_item.push_back(of_item[item]);
    if (!difficult.empty()) out.difficult.push_back(difficult[item]);
    if (!group.empty()) out.group.push_back(group[item]);
  }
  return out;
}

void Labels::group_by(std::span<const std::string> names) {
  std::map<std::string_view, size_t> numbers;
  group.clear();
  for (const std::string& name : names)
    group.push_back(numbers.try_emplace(name, numbers.size()).first->second);
}

}  // namespace muster
