// List files: path<TAB>label[,label...], a label after '?' being one that nobody has judged;
// comments from '#' at the start of a line, blank lines.
#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "muster/core/error.h"
#include "muster/dataset/dataset.h"
#include "muster/dataset/file_names.h"

namespace muster {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\r')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::string_view take_until(std::string_view& text, char separator) {
  const size_t end = text.find(separator);
  const std::string_view taken = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return taken;
}

struct Line {
  std::string path;
  std::vector<std::string> labels, unjudged;
};

Line parse_line(std::string_view line, const std::string& name, size_t number) {
  const auto bad = [&](const char* what) {
    return data_error("'{}', line {}: {}; expected path<TAB>label[,label...]", name, number, what);
  };
  if (line.find('\0') != std::string_view::npos) throw bad("it contains a zero byte");
  if (!is_utf8(line)) throw bad("it is not valid UTF-8");
  if (line.find('\t') == std::string_view::npos) throw bad("there is no tab");
  Line out;
  out.path = trim(take_until(line, '\t'));
  if (out.path.empty()) throw bad("the path is missing");
  if (line.find('\t') != std::string_view::npos) throw bad("there is more than one tab");
  if (trim(line).empty()) throw bad("the label is missing");
  // The trailing part of "a," is an empty label as much as the middle one of "a,,b" is.
  for (bool more = true; more;) {
    more = line.find(',') != std::string_view::npos;
    std::string_view label = trim(take_until(line, ','));
    const bool unjudged = label.starts_with('?');
    if (unjudged) label = trim(label.substr(1));
    if (label.empty()) throw bad("a label is empty");
    (unjudged ? out.unjudged : out.labels).emplace_back(label);
    if (std::ranges::find(unjudged ? out.labels : out.unjudged, label) !=
        (unjudged ? out.labels : out.unjudged).end())
      throw bad("a label is both given and, after '?', not judged");
  }
  return out;
}

}  // namespace

Dataset parse_list(const std::string& text, const std::filesystem::path& root,
                   const std::string& name) {
  DatasetBuilder builder(root);
  std::unordered_map<std::string, size_t> seen;
  bool partly_judged = false;
  std::string_view rest = text;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  for (size_t number = 1; !rest.empty(); ++number) {
    const std::string_view raw = take_until(rest, '\n');
    if (trim(raw).empty() || raw.front() == '#') continue;
    Line line = parse_line(raw, name, number);
    const auto [first, is_new] = seen.try_emplace(line.path, number);
    if (!is_new)
      throw data_error(
          "'{}', line {}: '{}' is already on line {}; write all its labels on one line", name,
          number, line.path, first->second);
    const std::string& named = line.labels.empty() ? line.unjudged.front() : line.labels.front();
    Item item{root / line.path, line.path, object_group(named, line.path), Part::kNone};
    if (!item_kind(item.path))
      throw data_error(
          "'{}', line {}: '{}' is neither a picture nor a vector set; allowed extensions are {}",
          name, number, line.path, kItemExtensions);
    partly_judged = partly_judged || !line.unjudged.empty();
    builder.add(std::move(item), std::move(line.labels), std::move(line.unjudged));
  }
  if (builder.empty())
    throw data_error("'{}' lists nothing; expected lines of path<TAB>label[,label...]", name);
  Dataset out = builder.finish(name);
  // Every label is a question of its own, also if each item happens to have one.
  out.labels.multi_label = partly_judged;
  return out;
}

}  // namespace muster
