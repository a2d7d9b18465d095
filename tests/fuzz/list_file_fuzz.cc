// Any text is a dataset with labels for every item or a data error.
#include "muster/core/error.h"
#include "muster/dataset/dataset.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const muster::Dataset dataset = muster::parse_list(text, "root", "fuzz");
    MUSTER_CHECK(dataset.items.size() == dataset.labels.size());
    for (const auto& labels : dataset.labels.of_item)
      for (int label : labels) MUSTER_CHECK(label >= 0 && label < dataset.labels.num_classes());
  } catch (const muster::Error& error) {
    MUSTER_CHECK(error.kind() == muster::ErrorKind::kData);
  }
  return 0;
}
