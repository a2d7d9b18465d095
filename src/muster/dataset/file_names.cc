#include "muster/dataset/file_names.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "muster/core/error.h"

namespace muster {
namespace fs = std::filesystem;

namespace {

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::string printable(const std::string& text) {
  std::string out;
  for (unsigned char c : text)
    out += c < 0x80 ? std::string(1, static_cast<char>(c)) : fmt::format("\\x{:02x}", c);
  return out;
}

std::vector<int> class_numbers(const std::vector<std::string>& labels,
                               const std::vector<std::string>& class_names) {
  std::vector<int> out;
  out.reserve(labels.size());
  for (const std::string& label : labels)
    out.push_back(
        static_cast<int>(std::ranges::lower_bound(class_names, label) - class_names.begin()));
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

std::optional<ItemKind> item_kind(const fs::path& file) {
  constexpr std::array kImages = {".jpg", ".jpeg", ".png", ".tif", ".tiff",
                                  ".bmp", ".webp", ".pgm", ".ppm"};
  const std::string extension = lower_case(file.extension().string());
  if (std::ranges::count(kImages, extension)) return ItemKind::kImages;
  if (extension == ".npz" || (extension == ".npy" && !is_places_file(file)))
    return ItemKind::kVectorSets;
  return std::nullopt;
}

bool is_places_file(const fs::path& file) {
  return lower_case(file.filename().string()).ends_with(".places.npy");
}

bool is_hidden(const fs::path& file) { return file.filename().string().starts_with('.'); }

bool is_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t length = lead < 0x80   ? 1
                          : lead < 0xC2 ? 0
                          : lead < 0xE0 ? 2
                          : lead < 0xF0 ? 3
                          : lead < 0xF5 ? 4
                                        : 0;
    if (length == 0 || length > text.size() - i) return false;
    uint32_t code = length == 1 ? lead : lead & (0x7Fu >> length);
    for (size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xC0) != 0x80) return false;
      code = code << 6 | (next & 0x3F);
    }
    constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < kSmallest[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
      return false;
    i += length;
  }
  return true;
}

bool is_folder(const fs::path& path) {
  std::error_code unknown;
  return fs::is_directory(path, unknown);
}

std::string object_group(const std::string& class_name, const fs::path& file) {
  const std::string stem = file.stem().string();
  return class_name + "/" + stem.substr(0, stem.find('-'));
}

std::vector<fs::path> sorted_entries(const fs::path& directory) {
  std::error_code error;
  std::vector<fs::path> out;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error))
    if (!is_hidden(it->path())) out.push_back(it->path());
  if (error) throw data_error("cannot read folder '{}': {}", directory.string(), error.message());
  std::ranges::sort(out, {}, [](const fs::path& path) { return path.filename().string(); });
  return out;
}

DatasetBuilder::DatasetBuilder(fs::path root) { dataset_.root = std::move(root); }

void DatasetBuilder::add(Item item, std::vector<std::string> labels,
                         std::vector<std::string> difficult) {
  if (!is_utf8(item.name)) {
    note(fmt::format("'{}' passed over: its name is not valid UTF-8; rename it",
                     printable(item.name)));
    return;
  }
  dataset_.items.push_back(std::move(item));
  labels_.push_back(std::move(labels));
  difficult_.push_back(std::move(difficult));
}

void DatasetBuilder::pass_over(const fs::path& file) {
  if (is_places_file(file)) return;
  note(fmt::format("'{}' passed over: its extension is not one of {}", file.string(),
                   kItemExtensions));
}

std::vector<fs::path> DatasetBuilder::entries_of(const fs::path& folder) {
  try {
    return sorted_entries(folder);
  } catch (const Error& error) {
    note(fmt::format("'{}' passed over: {}", folder.string(), error.what()));
    return {};
  }
}

Dataset DatasetBuilder::finish(const std::string& source) {
  MUSTER_CHECK(!empty());
  std::set<std::string> names;
  for (const auto& labels : labels_) names.insert(labels.begin(), labels.end());
  for (const auto& labels : difficult_) names.insert(labels.begin(), labels.end());
  const bool any_difficult =
      std::ranges::any_of(difficult_, [](const auto& labels) { return !labels.empty(); });

  Dataset out;
  out.root = dataset_.root;
  out.notes = std::move(dataset_.notes);
  out.labels.class_names.assign(names.begin(), names.end());
  std::vector<size_t> order(dataset_.items.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {},
                    [&](size_t i) -> const std::string& { return dataset_.items[i].name; });
  for (size_t i : order) {
    out.labels.of_item.push_back(class_numbers(labels_[i], out.labels.class_names));
    if (any_difficult)
      out.labels.difficult.push_back(class_numbers(difficult_[i], out.labels.class_names));
    out.items.push_back(std::move(dataset_.items[i]));
  }
  out.kind = item_kind(out.items.front().path).value_or(ItemKind::kImages);
  for (const Item& item : out.items)
    if (item_kind(item.path) != out.kind)
      throw data_error(
          "'{}' mixes pictures and vector sets ('{}' and '{}'); keep them in separate folders or "
          "lists",
          source, out.items.front().name, item.name);
  return out;
}

}  // namespace muster
