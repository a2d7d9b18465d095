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

// Of a convolution (or of its offsets, one dimension): of a size that keeps values of a size
// through the layers.
inline std::string random_weights(Rng& rng, const std::vector<int>& shape, int kernel, int from) {
  size_t count = 1;
  for (const int length : shape) count *= static_cast<size_t>(length);
  const double size = shape.size() == 1 ? 0.1 : 1.5 / std::sqrt(from * kernel * kernel);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(size * rng.normal());
  return {reinterpret_cast<const char*>(values.data()), 4 * count};
}

// A graph with one input of pictures, "image", node by node.
class OnnxWriter {
 public:
  explicit OnnxWriter(uint64_t seed = 1) : rng_(seed) {}

  OnnxWriter& conv(const std::string& in, const std::string& out, int from, int to, int kernel,
                   int stride, int pad) {
    const std::vector<int> shape = {to, from, kernel, kernel};
    array(out + "_w", shape, random_weights(rng_, shape, kernel, from));
    array(out + "_b", {to}, random_weights(rng_, {to}, kernel, from));
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
  OnnxWriter& mean_pool(const std::string& in, const std::string& out) {
    return node("GlobalAveragePool", {in}, out, {});
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

  OnnxWriter& random(const std::string& name, const std::vector<int>& shape) {
    return array(name, shape, random_weights(rng_, shape, 1, shape.back()));
  }
  // Over the last of three dimensions, as exporters write it before there was an operator for it.
  OnnxWriter& layer_norm(const std::string& in, const std::string& out, int dim) {
    constexpr float kTwo = 2, kSmall = 1e-5f;
    const auto number = [&](const std::string& name, float value) {
      array(name, {}, {reinterpret_cast<const char*>(&value), 4});
    };
    number(out + "_two", kTwo);
    number(out + "_small", kSmall);
    random(out + "_factor", {dim}).random(out + "_offset", {dim});
    const std::vector<ProtoWriter> last = {ints("axes", {-1}), integer("keepdims", 1)};
    return node("ReduceMean", {in}, out + "_mean", last)
        .node("Sub", {in, out + "_mean"}, out + "_centred", {})
        .node("Pow", {out + "_centred", out + "_two"}, out + "_squares", {})
        .node("ReduceMean", {out + "_squares"}, out + "_variance", last)
        .node("Add", {out + "_variance", out + "_small"}, out + "_positive", {})
        .node("Sqrt", {out + "_positive"}, out + "_deviation", {})
        .node("Div", {out + "_centred", out + "_deviation"}, out + "_scaled", {})
        .node("Mul", {out + "_scaled", out + "_factor"}, out + "_multiplied", {})
        .node("Add", {out + "_multiplied", out + "_offset"}, out, {});
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
template <class Writer>
Writer small_network_by(uint64_t seed) {
  Writer out(seed);
  return out.conv("image", "stem", 3, 8, 3, 2, 1)
      .relu("stem", "stem/relu")
      .max_pool("stem/relu", "pool", 2, 2)
      .conv("pool", "left", 8, 6, 1, 1, 0)
      .relu("left", "left/relu")
      .conv("pool", "right", 8, 6, 3, 1, 1)
      .relu("right", "right/relu")
      .concat({"left/relu", "right/relu"}, "fire/concat")
      .conv("fire/concat", "scores", 12, 5, 1, 1, 0)
      .mean_pool("scores", "mean");
}
inline OnnxWriter small_network(uint64_t seed = 1) { return small_network_by<OnnxWriter>(seed); }

// Patches of 16 pixels become tokens of 8 values, in the order of a vision transformer's.
inline OnnxWriter token_network() {
  OnnxWriter out;
  return out.conv("image", "patches", 3, 8, 16, 16, 0)
      .int64s("shape", {1, 8, -1})
      .node("Reshape", {"patches", "shape"}, "rows", {})
      .node("Transpose", {"rows"}, "tokens", {OnnxWriter::ints("perm", {0, 2, 1})});
}

// A vision transformer of one block, for pictures of 64 pixels: 16 patches and a class token, of 8
// values each; attention with one head, then two layers per token, both beside what they are added
// to and, with `norms`, after a layer normalisation. "block" gives 17 x 8 values.
inline OnnxWriter transformer_network(bool norms) {
  OnnxWriter out = token_network();
  out.random("class", {1, 1, 8}).random("position", {1, 17, 8});
  for (const char* name : {"query_w", "key_w", "value_w"}) out.random(name, {8, 8});
  out.random("wide_w", {8, 16}).random("narrow_w", {16, 8});
  out.concat({"class", "tokens"}, "all").node("Add", {"all", "position"}, "placed", {});
  const auto normed = [&](const std::string& in, const std::string& name) {
    if (!norms) return in;
    out.layer_norm(in, name, 8);
    return name;
  };
  const std::string seen = normed("placed", "norm1");
  for (const std::string name : {"query", "key", "value"})
    out.node("MatMul", {seen, name + "_w"}, name, {});
  out.node("Transpose", {"key"}, "turned", {OnnxWriter::ints("perm", {0, 2, 1})})
      .node("MatMul", {"query", "turned"}, "alike", {})
      .node("Softmax", {"alike"}, "shares", {OnnxWriter::integer("axis", 2)})
      .node("MatMul", {"shares", "value"}, "heard", {})
      .node("Add", {"placed", "heard"}, "attended", {});
  return out.node("MatMul", {normed("attended", "norm2"), "wide_w"}, "wide", {})
      .relu("wide", "wide/relu")
      .node("MatMul", {"wide/relu", "narrow_w"}, "narrow", {})
      .node("Add", {"attended", "narrow"}, "block", {});
}

}  // namespace muster
