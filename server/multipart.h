// multipart/form-data (RFC 7578): several files in one body. Parts are views of the body, which is
// held as a whole anyway; nothing is copied.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::server {

struct Part {
  std::string name;       // of the form's field
  std::string file_name;  // "" if the part has none
  std::string_view body;
};

// The boundary that a Content-Type names. Any other multipart type than form-data is refused with
// 415, a boundary that is missing or longer than the 70 bytes of RFC 2046 with 400.
std::string multipart_boundary(std::string_view content_type);

// All parts, in their order. A body that is malformed or ends before the closing boundary is
// refused with 400, one of more than `max_parts` with 413. The parts point into `body`.
std::vector<Part> parse_multipart(std::string_view body, const std::string& boundary,
                                  size_t max_parts);

}  // namespace muster::server
