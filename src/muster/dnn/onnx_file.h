// What an ONNX file says about itself, read by a small reader of its protobuf bytes: so that a
// damaged file, or one whose arrays are shorter than their shapes claim, is refused in clear words
// before any other library sees it.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace muster {

// An input or output of the graph. Of its shape, -1 stands for a size that is free.
struct OnnxValue {
  std::string name;
  int element_type = 0;  // 1: float
  std::vector<long> shape;
};

struct OnnxModel {
  std::string producer;
  std::map<std::string, std::string> metadata;
  std::vector<OnnxValue> inputs;  // without those that have their values in the file
  std::vector<OnnxValue> outputs;
  std::map<std::string, size_t> operators;  // how many nodes there are of each
  size_t num_weights = 0;
};

// Throws a data error that names `file`. Reads every byte once; memory in proportion to the number
// of nodes and names, which is less than the file's size.
OnnxModel read_onnx(std::span<const std::byte> bytes, const std::string& file);

// The same file with the size of its picture input fixed: OpenCV 4.6 takes free sizes for wrong
// ones. `bytes` have been read by read_onnx.
std::vector<std::byte> with_input_size(std::span<const std::byte> bytes, const std::string& input,
                                       int height, int width);

}  // namespace muster
