#include "server/infer_request.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "server/http.h"

namespace muster::server {
namespace {

constexpr size_t kDeepest = 32, kMostInputs = 64, kMostOutputs = 64, kLongestShape = 8,
                 kLongestId = 1024;

// Where in the request the reader is: inside an object or an array.
enum class In { kNothing, kRequest, kInputs, kInput, kShape, kData, kOutputs, kOutput, kOther };

[[noreturn]] void refuse(const std::string& what) {
  throw HttpError(400, "inference request: " + what);
}

// Takes the parser's events and throws at the first one that does not fit.
class Reader : public nlohmann::json_sax<nlohmann::json> {
 public:
  InferRequest take() { return std::move(request_); }

  bool key(string_t& name) override {
    key_ = name;
    return true;
  }
  bool start_object(size_t) override {
    if (in() == In::kNothing)
      enter(In::kRequest);
    else if (in() == In::kInputs)
      begin_input();
    else if (in() == In::kOutputs)
      begin_output();
    else
      enter_other("an object");
    return true;
  }
  bool start_array(size_t) override {
    if (in() == In::kNothing) refuse("it must be an object");
    if (in() == In::kRequest && key_ == "inputs")
      enter(In::kInputs);
    else if (in() == In::kRequest && key_ == "outputs")
      enter(In::kOutputs);
    else if (in() == In::kInput && key_ == "shape")
      enter(In::kShape);
    else if ((in() == In::kInput && key_ == "data") || in() == In::kData)
      enter(In::kData);
    else
      enter_other("an array");
    return true;
  }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }

  bool string(string_t& value) override {
    if (in() == In::kData)
      input().strings.push_back(std::move(value));
    else if (in() == In::kInput && key_ == "name")
      input().name = std::move(value);
    else if (in() == In::kInput && key_ == "datatype")
      input().datatype = std::move(value);
    else if (in() == In::kOutput && key_ == "name")
      request_.outputs.back() = std::move(value);
    else if (in() == In::kRequest && key_ == "id")
      request_.id = std::move(value);
    else
      other("a string");
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (in() == In::kShape) {
      if (input().shape.size() == kLongestShape)
        refuse(fmt::format("a shape has more than {} dimensions", kLongestShape));
      input().shape.push_back(value);
      return true;
    }
    return number(static_cast<float>(value));
  }
  bool number_integer(number_integer_t value) override { return number(static_cast<float>(value)); }
  bool number_float(number_float_t value, const string_t&) override {
    return number(static_cast<float>(value));
  }
  bool boolean(bool) override { return other("true or false"); }
  bool null() override { return other("null"); }
  bool binary(binary_t&) override { return other("binary data"); }
  bool parse_error(size_t position, const std::string&,
                   const nlohmann::json::exception& error) override {
    refuse(fmt::format("malformed JSON at byte {} ({:.200})", position, error.what()));
  }

 private:
  In in() const { return stack_.empty() ? In::kNothing : stack_.back(); }
  Tensor& input() { return request_.inputs.back(); }

  void enter(In where) {
    if (stack_.size() == kDeepest) refuse(fmt::format("nested deeper than {} levels", kDeepest));
    if (where == In::kData) input().has_data = true;
    if (where == In::kInputs && !request_.inputs.empty()) refuse("'inputs' occurs twice");
    stack_.push_back(where);
    key_.clear();
  }
  bool leave() {
    stack_.pop_back();
    key_.clear();
    return true;
  }
  void begin_input() {
    if (request_.inputs.size() == kMostInputs)
      refuse(fmt::format("more than {} inputs", kMostInputs));
    enter(In::kInput);
    request_.inputs.emplace_back();
  }
  void begin_output() {
    if (request_.outputs.size() == kMostOutputs)
      refuse(fmt::format("more than {} outputs", kMostOutputs));
    enter(In::kOutput);
    request_.outputs.emplace_back();
  }
  void enter_other(const char* what) {
    other(what);
    enter(In::kOther);
  }
  bool number(float value) {
    if (in() != In::kData) return other("a number");
    input().numbers.push_back(value);
    return true;
  }
  // A value that is not looked at, unless it stands where something else is needed.
  bool other(const char* what) const {
    const auto need = [&](const char* needed) {
      refuse(fmt::format("'{}' is {} instead of {}", key_, what, needed));
    };
    switch (in()) {
      case In::kNothing:
        refuse(fmt::format("it is {} instead of an object", what));
      case In::kInputs:
        refuse(fmt::format("an input is {} instead of an object", what));
      case In::kOutputs:
        refuse(fmt::format("an output is {} instead of an object", what));
      case In::kShape:
        refuse(fmt::format("a shape holds {} instead of a whole number", what));
      case In::kData:
        refuse(fmt::format("data hold {} instead of numbers or strings", what));
      case In::kRequest:
        if (key_ == "inputs" || key_ == "outputs") need("an array");
        if (key_ == "id") need("a string");
        break;
      case In::kInput:
        if (key_ == "shape" || key_ == "data") need("an array");
        [[fallthrough]];
      case In::kOutput:
        if (key_ == "name" || key_ == "datatype") need("a string");
        break;
      case In::kOther:
        break;
    }
    return true;
  }

  InferRequest request_;
  std::vector<In> stack_;
  std::string key_;
};

void check_input(const Tensor& input) {
  if (input.name.empty()) refuse("an input has no name");
  const auto wrong = [&](const std::string& what) {
    refuse(fmt::format("input '{}': {}", input.name, what));
  };
  if (input.datatype.empty()) wrong("it has no datatype");
  if (input.shape.empty()) wrong("it has no shape");
  if (!input.has_data) wrong("it has no data");
  const bool bytes = input.datatype == "BYTES";
  if (bytes ? !input.numbers.empty() : !input.strings.empty())
    wrong(
        fmt::format("data of datatype {} hold {}", input.datatype, bytes ? "numbers" : "strings"));
  const size_t given = bytes ? input.strings.size() : input.numbers.size();
  if (given != input.elements())
    wrong(fmt::format("its shape [{}] means {} elements, and data hold {}",
                      fmt::join(input.shape, ", "), input.elements(), given));
}

}  // namespace

uint64_t Tensor::elements() const {
  uint64_t out = 1;
  for (const uint64_t side : shape)
    if (__builtin_mul_overflow(out, side, &out)) return UINT64_MAX;
  return out;
}

InferRequest parse_infer_request(std::string_view text) {
  Reader reader;
  nlohmann::json::sax_parse(text, &reader);
  InferRequest request = reader.take();
  if (request.inputs.empty()) refuse("there are no inputs");
  for (const Tensor& input : request.inputs) check_input(input);
  if (request.id && request.id->size() > kLongestId)
    refuse(fmt::format("its id has more than {} bytes", kLongestId));
  for (const std::string& name : request.outputs)
    if (name.empty()) refuse("an output has no name");
  return request;
}

}  // namespace muster::server
