#include "muster/dataset/voc.h"

#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "muster/core/error.h"
#include "muster/dataset/file_names.h"
#include "muster/store/read_file.h"

namespace muster {
namespace fs = std::filesystem;

namespace {

std::string read_text(const fs::path& file) {
  const std::vector<std::byte> bytes = read_file(file);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

// What is known of one picture: its part and, per class, 1 present, 0 difficult, -1 absent.
struct VocImage {
  Part part = Part::kNone;
  std::map<std::string, int> classes;
};
using VocImages = std::map<std::string, VocImage>;

void set_part(VocImages& images, const std::string& id, Part part, const fs::path& file) {
  VocImage& image = images[id];
  if (image.part != Part::kNone && image.part != part)
    throw data_error("'{}': image '{}' is in the training and in the test lists", file.string(),
                     id);
  image.part = part;
}

// The part a list name stands for, none if it is not such a name.
Part part_of(std::string_view name) {
  if (name == "train" || name == "val" || name == "trainval") return Part::kTrain;
  return name == "test" ? Part::kTest : Part::kNone;
}

// Lines "id" or "id target".
void read_list(const fs::path& file, Part part, const std::string& class_name, VocImages& images) {
  std::istringstream lines(read_text(file));
  std::string line;
  for (size_t number = 1; std::getline(lines, line); ++number) {
    if (trimmed(line).empty()) continue;
    std::istringstream fields(line);
    std::string id, target, surplus;
    fields >> id >> target >> surplus;
    const bool known = target == "1" || target == "0" || target == "-1";
    if (!surplus.empty() || (class_name.empty() ? !target.empty() : !known))
      throw data_error("'{}', line {}: expected {}", file.string(), number,
                       class_name.empty() ? "an image name" : "an image name and 1, 0 or -1");
    set_part(images, id, part, file);
    if (!class_name.empty()) images[id].classes[class_name] = std::stoi(target);
  }
}

// ImageSets/Main/CLASS_SPLIT.txt; says whether there were any.
bool read_class_lists(const fs::path& folder, VocImages& images) {
  bool found = false;
  if (!is_folder(folder)) return false;
  for (const fs::path& file : sorted_entries(folder)) {
    const std::string stem = file.stem().string();
    const size_t underscore = stem.rfind('_');
    if (file.extension() != ".txt" || underscore == std::string::npos || underscore == 0) continue;
    const Part part = part_of(std::string_view(stem).substr(underscore + 1));
    if (part == Part::kNone) continue;
    read_list(file, part, stem.substr(0, underscore), images);
    found = true;
  }
  return found;
}

fs::path lists_folder(const fs::path& root) {
  const fs::path sets = root / "ImageSets";
  return is_folder(sets / "Main") ? sets / "Main" : sets;
}

fs::path pictures_folder(const fs::path& root) {
  return is_folder(root / "JPEGImages") ? root / "JPEGImages" : root / "PNGImages";
}

void read_annotations(const fs::path& root, VocImages& images) {
  for (const char* name : {"train", "val", "trainval", "test"}) {
    const fs::path list = lists_folder(root) / (std::string(name) + ".txt");
    if (fs::is_regular_file(list)) read_list(list, part_of(name), "", images);
  }
  const bool listed = !images.empty();
  for (const fs::path& file : sorted_entries(root / "Annotations")) {
    const std::string id = file.stem().string();
    if (file.extension() != ".xml" || (listed && !images.contains(id))) continue;
    VocImage& image = images[id];
    for (const VocObject& object : parse_voc_annotation(read_text(file), file.string())) {
      int& target = image.classes.try_emplace(object.name, 0).first->second;
      if (!object.difficult) target = 1;
    }
  }
}

std::map<std::string, fs::path> pictures_by_id(const fs::path& folder, DatasetBuilder& builder) {
  std::map<std::string, fs::path> out;
  for (const fs::path& file : sorted_entries(folder)) {
    if (!item_kind(file))
      builder.pass_over(file);
    else if (!out.emplace(file.stem().string(), file).second)
      throw data_error("'{}': two files are named '{}'", folder.string(), file.stem().string());
  }
  return out;
}

// A scanner for the subset of XML that annotations use: elements and their texts, no attributes
// needed.
class XmlScanner {
 public:
  XmlScanner(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  // Moves past the next tag. Names of the elements that are open now are in path(); text() is what
  // stood before the tag. False at the end.
  bool next() {
    const size_t open = rest_.find('<');
    if (open == std::string_view::npos) {
      if (!path_.empty()) fail();
      return false;
    }
    text_ = rest_.substr(0, open);
    rest_.remove_prefix(open);
    closed_.clear();
    if (rest_.starts_with("<!--"))
      skip_to("-->");
    else if (rest_.starts_with("<?") || rest_.starts_with("<!"))
      skip_to(">");
    else
      element();
    return true;
  }
  const std::vector<std::string>& path() const { return path_; }
  // The element that the last tag closed, empty if it opened one.
  const std::string& closed() const { return closed_; }
  std::string text() const { return trimmed(text_); }

 private:
  [[noreturn]] void fail() const {
    throw data_error("'{}' is not a well-formed annotation; expected PASCAL VOC XML", file_);
  }
  void skip_to(std::string_view end) {
    const size_t found = rest_.find(end);
    if (found == std::string_view::npos) fail();
    rest_.remove_prefix(found + end.size());
  }
  void element() {
    const size_t end = rest_.find('>');
    if (end == std::string_view::npos) fail();
    std::string_view tag = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    if (tag.ends_with('/')) return;
    const bool closes = tag.starts_with('/');
    if (closes) tag.remove_prefix(1);
    const std::string name(tag.substr(0, tag.find_first_of(" \t\r\n")));
    if (!closes) {
      path_.push_back(name);
      return;
    }
    if (path_.empty() || path_.back() != name) fail();
    path_.pop_back();
    closed_ = name;
  }

  std::string_view rest_, text_;
  const std::string& file_;
  std::vector<std::string> path_;
  std::string closed_;
};

}  // namespace

std::vector<VocObject> parse_voc_annotation(const std::string& xml, const std::string& file) {
  std::vector<VocObject> objects;
  VocObject object;
  const std::vector<std::string> inside_object = {"annotation", "object"};
  for (XmlScanner scanner(xml, file); scanner.next();) {
    if (scanner.closed() == "object" && scanner.path().size() == 1) {
      if (object.name.empty()) throw data_error("'{}': an object has no name", file);
      objects.push_back(std::exchange(object, {}));
    } else if (scanner.path() == inside_object) {
      // Parts of an object have names too, one level further down.
      if (scanner.closed() == "name") object.name = scanner.text();
      if (scanner.closed() == "difficult") object.difficult = scanner.text() == "1";
    }
  }
  return objects;
}

bool is_voc(const fs::path& root) { return is_folder(pictures_folder(root)); }

Dataset open_voc(const fs::path& root) {
  VocImages images;
  if (!read_class_lists(lists_folder(root), images)) {
    if (!is_folder(root / "Annotations"))
      throw data_error(
          "'{}' looks like a PASCAL VOC folder but has neither ImageSets/Main/CLASS_SPLIT.txt nor "
          "Annotations/",
          root.string());
    read_annotations(root, images);
  }
  DatasetBuilder builder(root);
  std::map<std::string, fs::path> pictures = pictures_by_id(pictures_folder(root), builder);
  for (const auto& [id, image] : images) {
    const auto picture = pictures.find(id);
    if (picture == pictures.end()) {
      builder.note(fmt::format("image '{}' passed over: it is listed or annotated but not in {}/",
                               id, pictures_folder(root).filename().string()));
      continue;
    }
    std::vector<std::string> labels, difficult;
    for (const auto& [name, target] : image.classes) {
      if (target == 1) labels.push_back(name);
      if (target == 0) difficult.push_back(name);
    }
    Item item{picture->second, picture->second.lexically_relative(root).generic_string(),
              object_group(labels.empty() ? "" : labels.front(), picture->second), image.part};
    builder.add(std::move(item), std::move(labels), std::move(difficult));
    pictures.erase(picture);
  }
  for (const auto& [id, file] : pictures)
    builder.note(
        fmt::format("'{}' passed over: it is neither listed nor annotated", file.string()));
  if (builder.empty())
    throw data_error("'{}': none of its {} listed or annotated images is in {}/", root.string(),
                     images.size(), pictures_folder(root).filename().string());
  Dataset out = builder.finish(root.string());
  out.labels.multi_label = true;
  return out;
}

}  // namespace muster
