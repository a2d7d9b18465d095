// What the server reads from a request: paths, headers, names, multipart bodies, inference
// requests. The first byte says which.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "server/base64.h"
#include "server/http.h"
#include "server/infer_request.h"
#include "server/multipart.h"
#include "server/routes.h"
#include "server/studio/names.h"

namespace {

using namespace muster::server;

void require(bool condition) {
  if (!condition) std::abort();
}

// The first line is the Content-Type, the rest the body.
void read_multipart(std::string_view text) {
  const size_t line = std::min(text.find('\n'), text.size());
  const std::string_view body = text.substr(std::min(line + 1, text.size()));
  constexpr size_t kMostParts = 8;
  const std::vector<Part> parts =
      parse_multipart(body, multipart_boundary(text.substr(0, line)), kMostParts);
  require(parts.size() <= kMostParts);
  for (const Part& part : parts)
    require(part.body.data() >= body.data() &&
            part.body.data() + part.body.size() <= body.data() + body.size());
}

void read_inference(std::string_view text) {
  for (const Tensor& input : parse_infer_request(text).inputs)
    require(input.elements() ==
            (input.datatype == "BYTES" ? input.strings.size() : input.numbers.size()));
}

void read_headers(std::string_view text) {
  const std::string line(text);
  require(media_type(line).size() <= line.size());
  require(header_parameter(line, "name").size() <= line.size());
  require(!error_reply(400, line).body.empty());
  require(decode_base64(encode_base64(line)) == line);
  if (const auto bytes = decode_base64(line)) require(bytes->size() <= line.size());
  const std::string name = picture_name(line, line);
  require(is_plain_name(name) && is_picture_name(name));
  require(!find_route("GET", line).is_work());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    if (data[0] % 3 == 0) read_multipart(text);
    if (data[0] % 3 == 1) read_inference(text);
    if (data[0] % 3 == 2) read_headers(text);
  } catch (const HttpError& error) {
    require(error.status() >= 400 && error.status() < 500);
  }
  return 0;
}
