// Base 64 (RFC 4648, section 4).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::server {

// The bytes that the text stands for; none if it is not base 64. Padding may be left out.
std::optional<std::string> decode_base64(std::string_view text);
std::string encode_base64(std::string_view bytes);

}  // namespace muster::server
