#include "server/infer_request.h"

#include "server/test_support.h"

namespace muster::server {
namespace {

TEST(InferRequest, ReadsTensorsFlatOrNested) {
  const InferRequest request = parse_infer_request(R"({
    "id": "42", "parameters": {"deep": [1, {"x": null}]}, "unknown": [[true]],
    "inputs": [
      {"name": "a", "shape": [2, 2], "datatype": "FP32", "data": [1, 2.5, -3, 4e1]},
      {"name": "b", "shape": [2, 2], "datatype": "FP32", "parameters": {"k": 1}, "data": [[1, 2], [3, 4]]},
      {"name": "c", "shape": [2], "datatype": "BYTES", "data": ["x", ""]}],
    "outputs": [{"name": "labels", "parameters": {"binary_data": false}}]})");
  EXPECT_EQ(request.id, "42");
  ASSERT_EQ(request.inputs.size(), 3u);
  EXPECT_EQ(request.inputs[0].name, "a");
  EXPECT_EQ(request.inputs[0].shape, (std::vector<uint64_t>{2, 2}));
  EXPECT_EQ(request.inputs[0].numbers, (std::vector<float>{1, 2.5, -3, 40}));
  EXPECT_EQ(request.inputs[1].numbers, (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(request.inputs[2].strings, (std::vector<std::string>{"x", ""}));
  EXPECT_EQ(request.outputs, std::vector<std::string>{"labels"});
}

// One input with these fields.
std::string with_input(const std::string& fields) { return R"({"inputs": [{)" + fields + "}]}"; }
std::string with_numbers(const std::string& shape, const std::string& data) {
  return with_input(R"("name": "a", "datatype": "FP32", "shape": )" + shape + R"(, "data": )" +
                    data);
}

TEST(InferRequest, WhatDoesNotFitTheProtocolIsRefused) {
  const std::pair<std::string, const char*> bad[] = {
      {"", "malformed JSON"},
      {"{\"inputs\": [", "malformed JSON"},
      {"[]", "must be an object"},
      {"7", "instead of an object"},
      {"{}", "no inputs"},
      {R"({"inputs": {}})", "'inputs' is an object instead of an array"},
      {R"({"inputs": [7]})", "an input is a number"},
      {R"({"inputs": [], "id": 7})", "'id' is a number instead of a string"},
      {R"({"outputs": ["x"]})", "an output is a string"},
      {with_input(R"("shape": [1], "datatype": "FP32", "data": [1])"), "no name"},
      {with_input(R"("name": 5)"), "'name' is a number"},
      {with_input(R"("name": "a", "shape": [1], "data": [1])"), "no datatype"},
      {with_input(R"("name": "a", "datatype": "FP32", "data": [1])"), "no shape"},
      {with_input(R"("name": "a", "datatype": "FP32", "shape": [1])"), "no data"},
      {with_numbers("[-1]", "[]"), "whole number"},
      {with_numbers("[1.5]", "[]"), "whole number"},
      {with_numbers("[1,1,1,1,1,1,1,1,1]", "[1]"), "more than 8 dimensions"},
      {with_numbers("[3]", "[1, 2]"), "data hold 2"},
      {with_numbers("[4294967296, 4294967296]", "[]"), "data hold 0"},
      {with_numbers("[1]", R"(["x"])"), "hold strings"},
      {with_input(R"("name": "a", "datatype": "BYTES", "shape": [1], "data": [1])"),
       "hold numbers"},
      {with_numbers("[1]", "[true]"), "true or false"},
      {with_numbers("[1]", "[1e999]"), "malformed"},
      {with_numbers("[1]", "1"), "'data' is a number"},
  };
  for (const auto& [text, part] : bad)
    EXPECT_EQ(status_of([&text = text] { parse_infer_request(text); }, part), 400) << text;
}

TEST(InferRequest, DepthAndIdAreBounded) {
  const std::string deep = R"({"parameters": )" + std::string(100000, '[');
  EXPECT_EQ(status_of([&] { parse_infer_request(deep); }, "deeper than 32"), 400);
  const std::string id =
      R"({"id": ")" + std::string(2000, 'x') + "\", " +
      with_input(R"("name": "a", "datatype": "FP32", "shape": [1], "data": [1])").substr(1);
  EXPECT_EQ(status_of([&] { parse_infer_request(id); }, "id"), 400);
}

}  // namespace
}  // namespace muster::server
