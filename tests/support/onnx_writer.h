// Writes small networks as ONNX files, byte by byte: a protobuf message is a row of fields, each a
// key and a number or a length and bytes.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "muster/core/rng.h"

namespace muster {

class ProtoWriter {
 public:
  ProtoWriter& number(int field, uint64_t value) {
    varint(static_cast<uint64_t>(field) << 3);
    varint(value);
    return *this;
  }
  ProtoWriter& bytes(int field, const std::string& value) {
    varint(static_cast<uint64_t>(field) << 3 | 2);
    varint(value.size());
    out_ += value;
    return *this;
  }
  ProtoWriter& message(int field, const ProtoWriter& value) { return bytes(field, value.out_); }
  const std::string& text() const { return out_; }

 private:
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
    out_ += static_cast<char>(value);
  }
  std::string out_;
};

// A graph with one input of pictures, "image", node by node.
class OnnxWriter {
 public:
  explicit OnnxWriter(uint64_t seed = 1) : rng_(seed) {}

  // Random weights, of a size that keeps values of a size through the layers.
  OnnxWriter& conv(const std::string& in, const std::string& out, int from, int to, int kernel,
                   int stride, int pad) {
    const double size = 1.5 / std::sqrt(static_cast<double>(from * kernel * kernel));
    floats(out + "_w", {to, from, kernel, kernel}, size);
    floats(out + "_b", {to}, 0.1);
    return node("Conv", {in, out + "_w", out + "_b"}, out,
                {ints("kernel_shape", {kernel, kernel}), ints("strides", {stride, stride}),
                 ints("pads", {pad, pad, pad, pad})});
  }
  OnnxWriter& relu(const std::string& in, const std::string& out) {
    return node("Relu", {in}, out, {});
  }
  OnnxWriter& max_pool(const std::string& in, const std::string& out, int kernel, int stride) {
    return node("MaxPool", {in}, out,
                {ints("kernel_shape", {kernel, kernel}), ints("strides", {stride, stride})});
  }
  OnnxWriter& concat(const std::vector<std::string>& in, const std::string& out) {
    return node("Concat", in, out, {integer("axis", 1)});
  }
  OnnxWriter& node(const std::string& type, const std::vector<std::string>& in,
                   const std::string& out, const std::vector<ProtoWriter>& attributes) {
    ProtoWriter node;
    for (const std::string& name : in) node.bytes(1, name);
    node.bytes(2, out).bytes(3, out).bytes(4, type);
    for (const ProtoWriter& attribute : attributes) node.message(5, attribute);
    graph_.message(1, node);
    return *this;
  }
  static ProtoWriter ints(const std::string& name, const std::vector<int64_t>& values) {
    ProtoWriter out;
    out.bytes(1, name);
    for (const int64_t value : values) out.number(8, static_cast<uint64_t>(value));
    return out.number(20, 7);
  }
  static ProtoWriter integer(const std::string& name, int64_t value) {
    return ProtoWriter().bytes(1, name).number(3, static_cast<uint64_t>(value)).number(20, 2);
  }
  OnnxWriter& int64s(const std::string& name, const std::vector<int64_t>& values) {
    const std::string raw(reinterpret_cast<const char*>(values.data()), 8 * values.size());
    graph_.message(
        5, ProtoWriter().number(1, values.size()).number(2, 7).bytes(8, name).bytes(9, raw));
    return *this;
  }
  // `raw` as the array's values, whatever their number.
  OnnxWriter& array(const std::string& name, const std::vector<int>& shape,
                    const std::string& raw) {
    ProtoWriter tensor;
    for (const int size : shape) tensor.number(1, static_cast<uint64_t>(size));
    graph_.message(5, tensor.number(2, 1).bytes(8, name).bytes(9, raw));
    return *this;
  }

  // The file. `side` is the fixed size of its input, or 0 for any; outputs have a shape without
  // dimensions, as OpenCV wants one.
  std::string file(const std::string& output, int side = 0, const ProtoWriter& more = {}) const {
    ProtoWriter graph = graph_;
    graph.bytes(2, "test").message(11, value("image", side)).message(12, value(output, -1));
    ProtoWriter model;
    model.number(1, 7).bytes(2, "muster tests").message(7, graph);
    model.message(8, ProtoWriter().bytes(1, "").number(2, 11));
    return model.text() + more.text();
  }

 private:
  void floats(const std::string& name, const std::vector<int>& shape, double size) {
    size_t count = 1;
    for (const int length : shape) count *= static_cast<size_t>(length);
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(size * rng_.normal());
    array(name, shape, {reinterpret_cast<const char*>(values.data()), 4 * count});
  }
  static ProtoWriter value(const std::string& name, int side) {
    ProtoWriter shape;
    const auto add = [&](const ProtoWriter& dimension) { shape.message(1, dimension); };
    if (side >= 0)
      for (const int size : {1, 3, side, side})
        add(size > 0 ? ProtoWriter().number(1, static_cast<uint64_t>(size))
                     : ProtoWriter().bytes(2, "any"));
    ProtoWriter tensor;
    tensor.number(1, 1).message(2, shape);
    return ProtoWriter().bytes(1, name).message(2, ProtoWriter().message(1, tensor));
  }

  Rng rng_;
  ProtoWriter graph_;
};

// Convolutions, pooling and a concatenation, as in SqueezeNet: "stem/relu" gives 8 channels at
// stride 2, "fire/concat" 12 at stride 4, "scores" one for each of 5 classes.
inline OnnxWriter small_network(uint64_t seed = 1) {
  OnnxWriter out(seed);
  return out.conv("image", "stem", 3, 8, 3, 2, 1)
      .relu("stem", "stem/relu")
      .max_pool("stem/relu", "pool", 2, 2)
      .conv("pool", "left", 8, 6, 1, 1, 0)
      .relu("left", "left/relu")
      .conv("pool", "right", 8, 6, 3, 1, 1)
      .relu("right", "right/relu")
      .concat({"left/relu", "right/relu"}, "fire/concat")
      .conv("fire/concat", "scores", 12, 5, 1, 1, 0)
      .node("GlobalAveragePool", {"scores"}, "mean", {});
}

// Patches of 16 pixels become tokens of 8 values, in the order of a vision transformer's.
inline OnnxWriter token_network() {
  OnnxWriter out;
  return out.conv("image", "patches", 3, 8, 16, 16, 0)
      .int64s("shape", {1, 8, -1})
      .node("Reshape", {"patches", "shape"}, "rows", {})
      .node("Transpose", {"rows"}, "tokens", {OnnxWriter::ints("perm", {0, 2, 1})});
}

}  // namespace muster
