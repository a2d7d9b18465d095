// What is known of each item. An item carries a set of labels; one-label data is the special case.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace muster {

struct Labels {
  std::vector<std::string> class_names;
  // Per item: its classes, sorted.
  std::vector<std::vector<int>> of_item;
  // Per item: classes marked difficult, left out of training and measuring. Empty means none at
  // all.
  std::vector<std::vector<int>> difficult;
  // The items come from data in which an item may have any number of labels, whatever these have.
  bool multi_label = false;
  // Per item: items of one group (views of one object, a picture and its mirror image) belong
  // together, and cross-validation never divides them. Empty means that every item is by itself.
  std::vector<size_t> group = {};

  size_t size() const { return of_item.size(); }
  int num_classes() const { return static_cast<int>(class_names.size()); }
  // True if every item has exactly one label and comes from data in which that is always so.
  bool single_label() const;
  // The first label of an item, -1 if it has none.
  int first(size_t item) const { return of_item[item].empty() ? -1 : of_item[item].front(); }
  // +1 has the label, -1 does not, 0 left out as difficult.
  int target(size_t item, int label) const;
  Labels select(std::span<const size_t> items) const;
  // Gives items of equal names one group; one name per item.
  void group_by(std::span<const std::string> names);

  bool operator==(const Labels&) const = default;
};

}  // namespace muster
