#include "muster/dataset/dataset.h"

#include <algorithm>

#include "muster/core/error.h"
#include "muster/dataset/file_names.h"
#include "muster/dataset/voc.h"
#include "muster/store/read_file.h"

namespace muster {
namespace fs = std::filesystem;

namespace {

constexpr const char* kExpectedLayout =
    "expected root/class/*.jpg, root/{train,test}/class/*.jpg, a list file of "
    "path<TAB>label[,label...], a "
    "folder with labels.tsv, a PASCAL VOC folder, or the same with .npy or .npz files";

void add_class_folder(const fs::path& folder, const std::string& class_name, const fs::path& root,
                      Part part, DatasetBuilder& builder) {
  for (const fs::path& entry : builder.entries_of(folder)) {
    if (is_folder(entry)) {
      builder.note(fmt::format("'{}' passed over: a folder inside a class folder", entry.string()));
    } else if (!item_kind(entry)) {
      builder.pass_over(entry);
    } else {
      builder.add({entry, entry.lexically_relative(root).generic_string(),
                   object_group(class_name, entry), part},
                  {class_name});
    }
  }
}

void add_class_folders(const fs::path& parent, const fs::path& root, Part part,
                       DatasetBuilder& builder) {
  for (const fs::path& entry : sorted_entries(parent)) {
    if (is_folder(entry)) {
      add_class_folder(entry, entry.filename().string(), root, part, builder);
    } else if (item_kind(entry)) {
      builder.note(fmt::format("'{}' passed over: it is not in a class folder", entry.string()));
    } else {
      builder.pass_over(entry);
    }
  }
}

Dataset open_folder(const fs::path& root) {
  DatasetBuilder builder(root);
  if (is_folder(root / "train") && is_folder(root / "test")) {
    add_class_folders(root / "train", root, Part::kTrain, builder);
    add_class_folders(root / "test", root, Part::kTest, builder);
    for (const fs::path& entry : sorted_entries(root))
      if (entry.filename() != "train" && entry.filename() != "test")
        builder.note(
            fmt::format("'{}' passed over: it is in neither train/ nor test/", entry.string()));
  } else {
    add_class_folders(root, root, Part::kNone, builder);
  }
  if (builder.empty())
    throw data_error("'{}' holds no items in class folders (extensions: {}); {}", root.string(),
                     kItemExtensions, kExpectedLayout);
  return builder.finish(root.string());
}

Dataset open_list(const fs::path& file) {
  const std::vector<std::byte> bytes = read_file(file);
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return parse_list(text, file.has_parent_path() ? file.parent_path() : fs::path("."),
                    file.string());
}

}  // namespace

Dataset open_dataset(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status))
    throw data_error("'{}' does not exist; {}", path.string(), kExpectedLayout);
  if (!fs::is_directory(status)) {
    if (item_kind(path))
      throw data_error("'{}' is a single item, not a dataset; {}", path.string(), kExpectedLayout);
    return open_list(path);
  }
  // "photos/" and "photos" are the same folder, and give the same names.
  const fs::path root = path.has_filename() ? path : path.parent_path();
  if (fs::is_regular_file(root / "labels.tsv", error)) return open_list(root / "labels.tsv");
  if (is_voc(root)) return open_voc(root);
  return open_folder(root);
}

}  // namespace muster
