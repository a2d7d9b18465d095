#include "server/multipart.h"

#include <fmt/format.h>

#include "server/http.h"

namespace muster::server {
namespace {

constexpr size_t kLongestBoundary = 70, kLongestPartHeader = 8192;
constexpr std::string_view kLineEnd = "\r\n";

[[noreturn]] void malformed(const std::string& what) {
  throw HttpError(400, "multipart body: " + what);
}

// The headers of one part, line by line, off the front of `rest`.
Part take_headers(std::string_view& rest, size_t number) {
  Part part;
  bool disposed = false;
  const std::string_view whole = rest;
  while (true) {
    const size_t end = rest.find(kLineEnd);
    const size_t used = whole.size() - rest.size();
    if (end == std::string_view::npos || used + end > kLongestPartHeader)
      malformed(fmt::format("the headers of part {} do not end", number));
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + kLineEnd.size());
    if (line.empty()) break;
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos)
      malformed(fmt::format("part {} has a header without a colon", number));
    if (media_type(line.substr(0, colon)) != "content-disposition") continue;
    const std::string_view value = line.substr(colon + 1);
    if (media_type(value) != "form-data")
      malformed(fmt::format("part {} is not form-data by its Content-Disposition", number));
    part.name = header_parameter(value, "name");
    part.file_name = header_parameter(value, "filename");
    disposed = true;
  }
  if (!disposed) malformed(fmt::format("part {} has no Content-Disposition", number));
  return part;
}

}  // namespace

std::string multipart_boundary(std::string_view content_type) {
  if (media_type(content_type) != "multipart/form-data")
    throw HttpError(415, fmt::format("Content-Type {}: of the multipart types only "
                                     "multipart/form-data is taken",
                                     media_type(content_type)));
  const std::string boundary = header_parameter(content_type, "boundary");
  if (boundary.empty() || boundary.size() > kLongestBoundary)
    throw HttpError(400, fmt::format("Content-Type multipart/form-data needs a boundary of 1 to {} "
                                     "bytes",
                                     kLongestBoundary));
  return boundary;
}

std::vector<Part> parse_multipart(std::string_view body, const std::string& boundary,
                                  size_t max_parts) {
  const std::string delimiter = "--" + boundary, line_delimiter = "\r\n" + delimiter;
  std::string_view rest = body;
  if (!rest.starts_with(delimiter)) {  // a preamble, which nobody reads
    const size_t begin = rest.find(line_delimiter);
    if (begin == std::string_view::npos) malformed("it does not hold its boundary");
    rest.remove_prefix(begin + kLineEnd.size());
  }
  std::vector<Part> parts;
  while (true) {
    rest.remove_prefix(delimiter.size());
    if (rest.starts_with("--")) return parts;
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (!rest.starts_with(kLineEnd)) malformed("a boundary is not followed by a line end");
    rest.remove_prefix(kLineEnd.size());
    if (parts.size() == max_parts)
      throw HttpError(413,
                      fmt::format("there are more than {} parts; send fewer at once", max_parts));
    Part part = take_headers(rest, parts.size() + 1);
    const size_t end = rest.find(line_delimiter);
    if (end == std::string_view::npos)
      malformed(fmt::format("it ends within part {}: was the upload cut short?", parts.size() + 1));
    part.body = rest.substr(0, end);
    parts.push_back(std::move(part));
    rest.remove_prefix(end + kLineEnd.size());
  }
}

}  // namespace muster::server
