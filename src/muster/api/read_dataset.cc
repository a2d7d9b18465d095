#include "muster/dataset/dataset.h"
#include "muster/muster.h"

namespace muster {
namespace {

LabelledData::Split split_of(Part part) {
  switch (part) {
    case Part::kTrain:
      return LabelledData::Split::kTrain;
    case Part::kTest:
      return LabelledData::Split::kTest;
    case Part::kNone:
      break;
  }
  return LabelledData::Split::kNone;
}

}  // namespace

LabelledData read_dataset(const std::filesystem::path& data) {
  Dataset dataset = open_dataset(data);
  LabelledData out;
  for (size_t i = 0; i < dataset.items.size(); ++i) {
    Item& item = dataset.items[i];
    std::vector<std::string> labels;
    for (const int label : dataset.labels.of_item[i])
      labels.push_back(dataset.labels.class_names[static_cast<size_t>(label)]);
    out.items.push_back({std::move(item.path), std::move(item.name), std::move(labels),
                         std::move(item.group), split_of(item.part)});
  }
  out.multi_label = !dataset.labels.single_label();
  out.class_names = std::move(dataset.labels.class_names);
  out.of_pictures = dataset.kind == ItemKind::kImages;
  out.notes = std::move(dataset.notes);
  return out;
}

std::vector<std::filesystem::path> list_sets(const std::filesystem::path& folder) {
  return set_files(folder);
}

}  // namespace muster
