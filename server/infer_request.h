// The inference request of the Open Inference Protocol v2, read from its JSON. Numbers go straight
// into their tensor while the text is read: a document tree of a hostile text of 32 MiB would take
// some hundred.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::server {

struct Tensor {
  std::string name, datatype;
  std::vector<uint64_t> shape;
  std::vector<float> numbers;        // of any number type, row by row
  std::vector<std::string> strings;  // of BYTES
  bool has_data = false;

  // What the shape says; saturates.
  uint64_t elements() const;
};

struct InferRequest {
  std::optional<std::string> id;  // to be given back
  std::vector<Tensor> inputs;
  std::vector<std::string> outputs;  // the wanted ones; all if there are none
};

// The text of a body. JSON that is malformed or nested deeper than 32 levels, a field of another
// type than the protocol's, a missing one, and data that do not fit their shape are refused with
// 400; unknown fields and all parameters are passed over, as the protocol wants.
InferRequest parse_infer_request(std::string_view text);

}  // namespace muster::server
