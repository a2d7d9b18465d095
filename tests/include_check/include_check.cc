#include "include_check/include_check.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace muster::include_check {
namespace {

namespace fs = std::filesystem;
using Folders = std::vector<std::string>;

// Parsed by hand: std::regex brings false warnings with it under g++ 12 and -fsanitize.

// The file without CMake comments.
std::string read(const fs::path& path) {
  std::ifstream in(path);
  std::string text;
  for (std::string line; std::getline(in, line);) text += line.substr(0, line.find('#')) + "\n";
  return text;
}

Folders words(const std::string& text) {
  std::istringstream in(text);
  Folders out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

// What is between the brackets of every "function(...)".
std::vector<std::string> calls(const std::string& text, const std::string& function) {
  std::vector<std::string> out;
  for (size_t at = text.find(function + "("); at != std::string::npos;
       at = text.find(function + "(", at)) {
    at += function.size() + 1;
    out.push_back(text.substr(at, text.find(')', at) - at));
  }
  return out;
}

// The list in "foreach(folder core math ...)".
Folders layer_order(const fs::path& source) {
  for (const std::string& call : calls(read(source / "CMakeLists.txt"), "foreach")) {
    Folders list = words(call);
    if (list.empty() || list.front() != "folder") continue;
    list.erase(list.begin());
    return list;
  }
  return {};
}

// The words after `keyword` in every call of `function`, up to the next keyword (upper case).
Folders arguments(const std::string& text, const std::string& function,
                  const std::string& keyword) {
  Folders out;
  for (const std::string& call : calls(text, function)) {
    bool taking = false;
    for (const std::string& word : words(call)) {
      const bool is_keyword =
          std::ranges::all_of(word, [](char c) { return c == '_' || (c >= 'A' && c <= 'Z'); });
      if (is_keyword) taking = word == keyword;
      if (taking && !is_keyword) out.push_back(word);
    }
  }
  return out;
}

// The folder X of a line "#include "muster/X/..."" (or <...>), "" for any other line.
std::string included_folder(const std::string& line) {
  std::string rest;
  for (const char c : line)
    if (c != ' ' && c != '\t') rest += c == '<' ? '"' : c;
  constexpr std::string_view kStart = "#include\"muster/";
  const size_t slash = rest.find('/', kStart.size());
  if (!rest.starts_with(kStart) || slash == std::string::npos) return "";
  return rest.substr(kStart.size(), slash - kStart.size());
}

class Checker {
 public:
  explicit Checker(const fs::path& root) : source_(root / "src" / "muster") {
    order_ = layer_order(source_);
    if (order_.empty())
      breaches_.push_back((source_ / "CMakeLists.txt").string() +
                          ":1: no foreach(folder ...) that lists the folders, bottom to top");
    for (const std::string& folder : order_) {
      const std::string text = read(source_ / folder / "CMakeLists.txt");
      sees_[folder] = arguments(text, "muster_library", "SEES");
      for (const std::string& link : arguments(text, "muster_test", "LINKS"))
        if (link.starts_with("muster::")) test_links_[folder].push_back(link.substr(8));
    }
  }

  std::vector<std::string> run() {
    Folders present;
    for (const fs::directory_entry& entry : fs::directory_iterator(source_))
      if (entry.is_directory()) present.push_back(entry.path().filename());
    std::ranges::sort(present);
    for (const std::string& folder : present) check_folder(folder);
    return breaches_;
  }

 private:
  size_t rank(const std::string& folder) const {
    return static_cast<size_t>(std::ranges::find(order_, folder) - order_.begin());
  }

  void visit(const std::string& folder, std::set<std::string>& seen) const {
    if (!seen.insert(folder).second || !sees_.contains(folder)) return;
    for (const std::string& next : sees_.at(folder)) visit(next, seen);
  }

  void check_folder(const std::string& folder) {
    const fs::path list = source_ / folder / "CMakeLists.txt";
    if (rank(folder) == order_.size()) {
      breaches_.push_back(
          (source_ / folder).string() +
          ":1: folder is not in the list in src/muster/CMakeLists.txt; add it there");
      return;
    }
    for (const std::string& seen : sees_[folder])
      if (rank(seen) >= rank(folder))
        breaches_.push_back(list.string() + ":1: SEES " + seen + order_rule(folder, seen));
    std::set<std::string> visible, visible_to_tests;
    visit(folder, visible);
    visible_to_tests = visible;
    for (const std::string& link : test_links_[folder]) visit(link, visible_to_tests);

    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(source_ / folder))
      if (entry.path().extension() == ".h" || entry.path().extension() == ".cc")
        files.push_back(entry.path());
    std::ranges::sort(files);
    for (const fs::path& file : files) {
      const bool is_test = file.stem().string().ends_with("_test");
      check_file(file, folder, fs::exists(list), is_test ? visible_to_tests : visible);
    }
  }

  void check_file(const fs::path& file, const std::string& folder, bool has_list,
                  const std::set<std::string>& visible) {
    std::ifstream in(file);
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
      const std::string seen = included_folder(line);
      if (seen.empty() || seen == folder) continue;
      const std::string where = file.string() + ":" + std::to_string(number) + ": includes " + seen;
      if (rank(seen) >= rank(folder))
        breaches_.push_back(where + order_rule(folder, seen));
      else if (has_list && !visible.contains(seen))
        breaches_.push_back(where + ", which " + folder +
                            "/CMakeLists.txt does not name: add it to " +
                            "SEES (for a test, muster::" + seen + " to LINKS) or do without it");
    }
  }

  std::string order_rule(const std::string& folder, const std::string& seen) const {
    if (rank(seen) == order_.size())
      return ", which is not a folder of the list in src/muster/CMakeLists.txt";
    return ", which does not come before " + folder +
           " in the list in src/muster/CMakeLists.txt; " + "a folder sees only folders before it";
  }

  fs::path source_;
  Folders order_;
  std::map<std::string, Folders> sees_, test_links_;
  std::vector<std::string> breaches_;
};

}  // namespace

std::vector<std::string> violations(const fs::path& root) { return Checker(root).run(); }

}  // namespace muster::include_check
