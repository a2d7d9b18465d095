#include "server/studio/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "server/http.h"

namespace muster::server {
namespace {

constexpr size_t kLongestName = 100;
constexpr std::string_view kExtensions[] = {"jpg", "jpeg", "png", "tif", "tiff",
                                            "bmp", "webp", "pgm", "ppm"};
// Folders and files that tell `muster train` of another layout than class folders.
constexpr std::string_view kReserved[] = {"train", "test", "JPEGImages", "PNGImages", "labels.tsv"};

bool is_utf8(std::string_view text) {
  try {
    (void)nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::string_view extension_of(std::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view() : name.substr(dot + 1);
}

std::string_view extension_for(std::string_view content) {
  if (content.starts_with("\xff\xd8")) return "jpg";
  if (content.starts_with("\x89PNG")) return "png";
  if (content.starts_with("RIFF")) return "webp";
  if (content.starts_with("BM")) return "bmp";
  return content.starts_with('P') ? "ppm" : "tif";
}

// Not within a character.
std::string_view cut(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
  return text.substr(0, most);
}

}  // namespace

void check_class_name(const std::string& name) {
  const auto refuse = [](const std::string& why) {
    throw HttpError(400, "the name of a class " + why);
  };
  if (name.empty()) refuse("is empty; give it one");
  if (name.size() > kLongestName) refuse(fmt::format("has at most {} bytes", kLongestName));
  if (!is_utf8(name)) refuse("is not UTF-8");
  if (std::ranges::any_of(name, is_control)) refuse("has no control characters");
  if (name.find_first_of("/\\") != std::string::npos) refuse("has no slashes");
  if (name.starts_with('.')) refuse("does not begin with a dot");
  if (name.starts_with(' ') || name.ends_with(' ')) refuse("does not begin or end with a space");
  if (std::ranges::find(kReserved, name) != std::end(kReserved))
    refuse(fmt::format("cannot be '{}', which means something else in a folder of data", name));
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= 255 && !name.starts_with('.') &&
         name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

bool is_picture_name(std::string_view name) {
  std::string extension(extension_of(name));
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return std::tolower(c); });
  return !name.starts_with('.') &&
         std::ranges::find(kExtensions, extension) != std::end(kExtensions);
}

std::string picture_name(std::string_view given, std::string_view content) {
  if (const size_t slash = given.find_last_of("/\\"); slash != std::string_view::npos)
    given.remove_prefix(slash + 1);
  std::string name;
  std::ranges::remove_copy_if(given, std::back_inserter(name), is_control);
  if (!is_utf8(name)) name.clear();
  const std::string extension(is_picture_name(name) ? extension_of(name) : extension_for(content));
  if (is_picture_name(name)) name.resize(name.size() - extension.size() - 1);
  name.erase(0, name.find_first_not_of(". "));
  name = cut(name, kLongestName);
  return (name.empty() ? "picture" : name) + "." + extension;
}

std::string numbered_name(const std::string& name, int number) {
  const size_t dot = std::min(name.rfind('.'), name.size());
  return fmt::format("{}-{}{}", name.substr(0, dot), number, name.substr(dot));
}

}  // namespace muster::server
