#include "thumbnails.h"

#include <algorithm>
#include <cstdint>

#include "muster/core/error.h"
#include "muster/image/decode.h"

namespace muster::cli {
namespace {

constexpr size_t kMistakesShown = 24;
constexpr int kThumbnailSidePx = 120;

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
  const MethodResult* best = results.best();
  if (!best || dataset.kind != ItemKind::kImages) return out;
  std::vector<const Prediction*> mistakes;
  for (const SplitResult& split : best->splits)
    for (const Prediction& prediction : split.predictions)
      if (prediction.predicted != prediction.label) mistakes.push_back(&prediction);
  std::ranges::stable_sort(mistakes, std::greater(),
                           [](const Prediction* p) { return p->confidence.value_or(0); });
  std::map<std::string, std::filesystem::path> path_of;
  for (const Item& item : dataset.items) path_of[item.name] = item.path;
  for (const Prediction* mistake : mistakes) {
    if (out.size() >= kMistakesShown) break;
    try {
      DecodeOptions options;
      options.longest_side_px = kThumbnailSidePx;
      out[mistake->item] = "data:image/png;base64," +
                           base64(encode_png(read_image(path_of.at(mistake->item), options)));
    } catch (const Error&) {
      continue;  // readable during the run, gone since
    }
  }
  return out;
}

}  // namespace muster::cli
