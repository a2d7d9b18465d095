// Which files are items, judged by their names.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "muster/dataset/dataset.h"

namespace muster {

// The allowed extensions, for messages.
inline constexpr const char* kItemExtensions =
    "jpg jpeg png tif tiff bmp webp pgm ppm for pictures, npy npz for vector sets";

// By extension, case-insensitive; none for any other file and for NAME.places.npy.
std::optional<ItemKind> item_kind(const std::filesystem::path& file);
bool is_places_file(const std::filesystem::path& file);
bool is_hidden(const std::filesystem::path& file);
bool is_utf8(std::string_view text);

// False as well for what cannot be looked at: a loop of symbolic links, a name that is too long.
bool is_folder(const std::filesystem::path& path);

// class/stem up to the first '-'.
std::string object_group(const std::string& class_name, const std::filesystem::path& file);

// Not hidden, sorted by the bytes of the name; a folder that cannot be read is a data error.
std::vector<std::filesystem::path> sorted_entries(const std::filesystem::path& directory);

// Collects items with their labels as texts, then sorts items and numbers the classes.
class DatasetBuilder {
 public:
  explicit DatasetBuilder(std::filesystem::path root);
  // An item whose name is not UTF-8 is passed over: neither models nor reports could name it.
  void add(Item item, std::vector<std::string> labels, std::vector<std::string> difficult = {});
  void note(std::string text) { dataset_.notes.push_back(std::move(text)); }
  // Notes a file whose extension is not an item's.
  void pass_over(const std::filesystem::path& file);
  // As sorted_entries, but a folder that cannot be read is noted and passed over.
  std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);
  bool empty() const { return dataset_.items.empty(); }
  // Requires items; decides their kind. A mix of kinds is a data error.
  Dataset finish(const std::string& source);

 private:
  Dataset dataset_;
  std::vector<std::vector<std::string>> labels_, difficult_;
};

}  // namespace muster
