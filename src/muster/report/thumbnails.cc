#include "muster/report/thumbnails.h"

#include <cstdint>

#include "muster/core/error.h"
#include "muster/image/decode.h"
#include "muster/report/html.h"

namespace muster {
namespace {

constexpr int kThumbnailSidePx = 144;

std::string base64(std::span<const std::byte> bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t b = 0; b < 3; ++b)
      group = group << 8 | (i + b < bytes.size() ? std::to_integer<uint32_t>(bytes[i + b]) : 0);
    for (size_t d = 0; d < 4; ++d)
      out += i + d <= bytes.size() ? kDigits[group >> (18 - 6 * d) & 63] : '=';
  }
  return out;
}

}  // namespace

std::map<std::string, std::string> mistake_thumbnails(const Results& results,
                                                      const Dataset& dataset) {
  std::map<std::string, std::string> out;
  if (dataset.kind != ItemKind::kImages) return out;
  std::map<std::string, std::filesystem::path> path_of;
  for (const Item& item : dataset.items) path_of[item.name] = item.path;
  for (const std::string& name : pictured_items(results)) {
    const auto path = path_of.find(name);
    if (path == path_of.end()) continue;  // of another data set
    try {
      DecodeOptions options;
      options.longest_side_px = kThumbnailSidePx;
      out[name] =
          "data:image/jpeg;base64," + base64(encode_jpeg(read_image(path->second, options)));
    } catch (const Error&) {
      continue;  // readable during the run, gone since
    }
  }
  return out;
}

}  // namespace muster
