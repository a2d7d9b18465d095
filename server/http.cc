#include "server/http.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

namespace muster::server {
namespace {

constexpr const char* kRetrySeconds = "1";
// Messages may repeat what a client sent.
constexpr size_t kLongestMessage = 1000;

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool equal_without_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// Takes a value off the front of `rest`: a quoted string or what comes before the next ';'.
std::string take_value(std::string_view& rest) {
  std::string value;
  if (!rest.starts_with('"')) {
    const size_t end = std::min(rest.find(';'), rest.size());
    value = trimmed(rest.substr(0, end));
    rest.remove_prefix(end);
    return value;
  }
  size_t at = 1;
  // Browsers write a quote in a name as %22, others as \"; other backslashes are meant as such.
  for (; at < rest.size() && rest[at] != '"'; ++at) {
    if (rest[at] == '\\' && at + 1 < rest.size() && rest[at + 1] == '"') ++at;
    value += rest[at];
  }
  rest.remove_prefix(std::min(rest.size(), rest.find(';', std::min(at, rest.size()))));
  return value;
}

}  // namespace

Reply error_reply(int status, const std::string& message) {
  Reply reply{status};
  reply.body = nlohmann::json{{"error", message.substr(0, kLongestMessage)}}.dump(
                   -1, ' ', false, nlohmann::json::error_handler_t::replace) +
               "\n";
  if (status == 429 || status == 503) reply.headers.emplace_back("Retry-After", kRetrySeconds);
  if (status == 401) reply.headers.emplace_back("WWW-Authenticate", "Bearer");
  return reply;
}

std::string media_type(std::string_view header) {
  std::string out(trimmed(header.substr(0, header.find(';'))));
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

std::string header_parameter(std::string_view header, std::string_view name) {
  std::string_view rest = header;
  rest.remove_prefix(std::min(rest.find(';'), rest.size()));
  while (!rest.empty()) {
    rest.remove_prefix(1);  // the ';'
    const size_t equals = rest.find_first_of("=;");
    if (equals == std::string_view::npos || rest[equals] == ';') {
      rest.remove_prefix(std::min(equals, rest.size()));
      continue;
    }
    const std::string_view key = trimmed(rest.substr(0, equals));
    rest.remove_prefix(equals + 1);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    std::string value = take_value(rest);
    if (equal_without_case(key, name)) return value;
  }
  return "";
}

}  // namespace muster::server
