#include "server/base64.h"

#include <array>
#include <cstdint>

namespace muster::server {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int8_t, 256> make_values() {
  std::array<int8_t, 256> out{};
  out.fill(-1);
  for (size_t i = 0; i < kDigits.size(); ++i)
    out[static_cast<uint8_t>(kDigits[i])] = static_cast<int8_t>(i);
  return out;
}
constexpr std::array<int8_t, 256> kValues = make_values();

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 == 0)
    for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 4 * 3 + 2);
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int value = kValues[static_cast<uint8_t>(c)];
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(value);
    if ((count += 6) >= 8) out += static_cast<char>(bits >> (count -= 8) & 0xff);
  }
  return out;
}

std::string encode_base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t j = 0; j < 3; ++j)
      bits = bits << 8 | (i + j < bytes.size() ? static_cast<uint8_t>(bytes[i + j]) : 0);
    for (size_t j = 0; j < 4; ++j)
      out += i + j > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * j) & 63];
  }
  return out;
}

}  // namespace muster::server
