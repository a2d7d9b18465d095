// Runs a convolutional network of an ONNX file in double precision, one loop per index: Conv, Relu,
// MaxPool, Concat over channels, Dropout (as nothing) and GlobalAveragePool. Reads the file by
// itself.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace muster::oracle {

struct Blob {
  int channels = 0, rows = 0, columns = 0;
  std::vector<double> values;
  double at(int c, int r, int x) const {
    return values[(static_cast<size_t>(c) * rows + r) * columns + x];
  }
};

// A protobuf message by field numbers, as bytes and numbers.
struct Message {
  std::multimap<uint64_t, std::string> bytes;
  std::multimap<uint64_t, uint64_t> numbers;

  explicit Message(const std::string& text) {
    size_t at = 0;
    const auto varint = [&] {
      uint64_t value = 0;
      for (int shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(text.at(at++));
        value |= static_cast<uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
      }
    };
    while (at < text.size()) {
      const uint64_t key = varint();
      if ((key & 7) == 0) {
        numbers.emplace(key >> 3, varint());
        continue;
      }
      const uint64_t length = (key & 7) == 2 ? varint() : (key & 7) == 5 ? 4 : 8;
      bytes.emplace(key >> 3, text.substr(at, length));
      at += length;
    }
  }
  std::string text(uint64_t field) const {
    const auto found = bytes.find(field);
    return found == bytes.end() ? "" : found->second;
  }
  std::vector<std::string> all(uint64_t field) const {
    std::vector<std::string> out;
    for (auto [it, end] = bytes.equal_range(field); it != end; ++it) out.push_back(it->second);
    return out;
  }
  std::vector<int64_t> ints(uint64_t field) const {
    std::vector<int64_t> out;
    for (auto [it, end] = numbers.equal_range(field); it != end; ++it)
      out.push_back(static_cast<int64_t>(it->second));
    for (const std::string& packed : all(field)) {
      uint64_t value = 0;
      int shift = 0;
      for (const char c : packed) {
        value |= static_cast<uint64_t>(c & 0x7f) << shift;
        shift = c & 0x80 ? shift + 7 : 0;
        if (shift == 0) out.push_back(static_cast<int64_t>(std::exchange(value, 0)));
      }
    }
    return out;
  }
};

struct Weights {
  std::vector<int64_t> shape;
  std::vector<float> values;
};

inline Weights read_weights(const Message& tensor) {
  const std::string raw = tensor.text(9).empty() ? tensor.text(4) : tensor.text(9);
  Weights out{tensor.ints(1), std::vector<float>(raw.size() / 4)};
  std::memcpy(out.values.data(), raw.data(), 4 * out.values.size());
  return out;
}

inline Blob convolve(const Blob& in, const Weights& w, const Weights& b, int stride, int pad) {
  const int to = static_cast<int>(w.shape[0]), from = static_cast<int>(w.shape[1]);
  const int kernel = static_cast<int>(w.shape[2]);
  Blob out{to,
           (in.rows + 2 * pad - kernel) / stride + 1,
           (in.columns + 2 * pad - kernel) / stride + 1,
           {}};
  for (int o = 0; o < to; ++o)
    for (int r = 0; r < out.rows; ++r)
      for (int x = 0; x < out.columns; ++x) {
        double sum = b.values[o];
        for (int i = 0; i < from; ++i)
          for (int dr = 0; dr < kernel; ++dr)
            for (int dx = 0; dx < kernel; ++dx) {
              const int y0 = r * stride + dr - pad, x0 = x * stride + dx - pad;
              if (y0 < 0 || x0 < 0 || y0 >= in.rows || x0 >= in.columns) continue;
              sum += in.at(i, y0, x0) *
                     w.values[((static_cast<size_t>(o) * from + i) * kernel + dr) * kernel + dx];
            }
        out.values.push_back(sum);
      }
  return out;
}

// Without padding; with `ceil`, windows that begin inside count, cut at the edge.
inline Blob max_pool(const Blob& in, int kernel, int stride, bool ceil) {
  const auto count = [&](int length) {
    return (length - kernel + (ceil ? stride - 1 : 0)) / stride + 1;
  };
  Blob out{in.channels, count(in.rows), count(in.columns), {}};
  for (int c = 0; c < in.channels; ++c)
    for (int r = 0; r < out.rows; ++r)
      for (int x = 0; x < out.columns; ++x) {
        double most = -std::numeric_limits<double>::infinity();
        for (int y0 = r * stride; y0 < std::min(in.rows, r * stride + kernel); ++y0)
          for (int x0 = x * stride; x0 < std::min(in.columns, x * stride + kernel); ++x0)
            most = std::max(most, in.at(c, y0, x0));
        out.values.push_back(most);
      }
  return out;
}

inline std::map<std::string, Message> attributes_of(const Message& node) {
  std::map<std::string, Message> out;
  for (const std::string& bytes : node.all(5)) {
    Message attribute(bytes);
    out.emplace(attribute.text(1), attribute);
  }
  return out;
}

// The output of `layer` (its name is that of its output).
inline Blob run_network(const std::string& file, Blob input, const std::string& layer) {
  const Message graph(Message(file).text(7));
  std::map<std::string, Weights> weights;
  for (const std::string& bytes : graph.all(5)) {
    const Message tensor(bytes);
    weights.emplace(tensor.text(8), read_weights(tensor));
  }
  std::map<std::string, Blob> blobs;
  for (const std::string& bytes : graph.all(11))
    if (const std::string name = Message(bytes).text(1); !weights.contains(name))
      blobs[name] = input;
  for (const std::string& bytes : graph.all(1)) {
    const Message node(bytes);
    const std::vector<std::string> in = node.all(1);
    const std::string type = node.text(4), out = node.text(2);
    const auto attributes = attributes_of(node);
    const auto list = [&](const char* name) {
      const auto found = attributes.find(name);
      return found == attributes.end() ? std::vector<int64_t>{0} : found->second.ints(8);
    };
    const Blob& first = blobs.at(in[0]);
    const int stride = static_cast<int>(std::max<int64_t>(1, list("strides")[0]));
    if (type == "Conv") {
      blobs[out] = convolve(first, weights.at(in[1]), weights.at(in[2]), stride,
                            static_cast<int>(list("pads")[0]));
    } else if (type == "Relu") {
      Blob blob = first;
      for (double& value : blob.values) value = std::max(0.0, value);
      blobs[out] = std::move(blob);
    } else if (type == "MaxPool") {
      const auto ceil = attributes.find("ceil_mode");
      blobs[out] =
          max_pool(first, static_cast<int>(list("kernel_shape")[0]), stride,
                   ceil != attributes.end() && ceil->second.ints(3) != std::vector<int64_t>{0});
    } else if (type == "Concat") {
      Blob blob{0, first.rows, first.columns, {}};
      for (const std::string& name : in) {
        const Blob& part = blobs.at(name);
        blob.channels += part.channels;
        blob.values.insert(blob.values.end(), part.values.begin(), part.values.end());
      }
      blobs[out] = std::move(blob);
    } else if (type == "Dropout") {
      blobs[out] = first;
    } else {
      throw std::runtime_error("the oracle has no " + type);
    }
    if (out == layer) return blobs.at(out);
  }
  throw std::runtime_error("no layer " + layer);
}

}  // namespace muster::oracle
