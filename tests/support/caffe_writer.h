// Writes small networks as Caffe has them: a description in text, and the weights in a protobuf
// message.
#pragma once

#include <string>
#include <vector>

#include "support/onnx_writer.h"

namespace muster {

class CaffeWriter {
 public:
  explicit CaffeWriter(uint64_t seed = 1) : rng_(seed) {}

  CaffeWriter& conv(const std::string& in, const std::string& out, int from, int to, int kernel,
                    int stride, int pad) {
    ProtoWriter trained;
    trained.bytes(1, out).bytes(2, "Convolution");
    for (const std::vector<int>& shape : {std::vector<int>{to, from, kernel, kernel}, {to}}) {
      ProtoWriter sizes;
      for (const int size : shape) sizes.number(1, static_cast<uint64_t>(size));
      trained.message(
          7, ProtoWriter().bytes(5, random_weights(rng_, shape, kernel, from)).message(7, sizes));
    }
    weights_.message(100, trained);
    return layer("Convolution", {in}, out,
                 "convolution_param { num_output: " + std::to_string(to) +
                     " kernel_size: " + std::to_string(kernel) +
                     " stride: " + std::to_string(stride) + " pad: " + std::to_string(pad) + " }");
  }
  CaffeWriter& relu(const std::string& in, const std::string& out) {
    return layer("ReLU", {in}, out);
  }
  CaffeWriter& max_pool(const std::string& in, const std::string& out, int kernel, int stride) {
    return layer("Pooling", {in}, out,
                 "pooling_param { pool: MAX kernel_size: " + std::to_string(kernel) +
                     " stride: " + std::to_string(stride) + " }");
  }
  CaffeWriter& mean_pool(const std::string& in, const std::string& out) {
    return layer("Pooling", {in}, out, "pooling_param { pool: AVE global_pooling: true }");
  }
  CaffeWriter& concat(const std::vector<std::string>& in, const std::string& out) {
    return layer("Concat", in, out);
  }
  CaffeWriter& layer(const std::string& type, const std::vector<std::string>& in,
                     const std::string& out, const std::string& parameters = "") {
    layers_ += "layer { name: \"" + out + "\" type: \"" + type + "\"";
    for (const std::string& name : in) layers_ += " bottom: \"" + name + "\"";
    layers_ += " top: \"" + out + "\" " + parameters + " }\n";
    return *this;
  }

  // What belongs into the .prototxt, for pictures of a size, and into the .caffemodel.
  std::string description(int side = 64) const {
    const std::string size = " dim: " + std::to_string(side);
    return "name: \"muster tests\"\ninput: \"image\"\ninput_shape { dim: 1 dim: 3" + size + size +
           " }\n" + layers_;
  }
  std::string weights() const { return weights_.text(); }

 private:
  Rng rng_;
  ProtoWriter weights_;
  std::string layers_;
};

}  // namespace muster
