#include "muster/dnn/onnx_file.h"

#include <cstdint>
#include <cstring>
#include <set>

#include "muster/core/error.h"

namespace muster {
namespace {

using Bytes = std::span<const std::byte>;

// Beyond any real model; a shape is multiplied up to it without overflow.
constexpr uint64_t kMostElements = uint64_t{1} << 40;
constexpr int kDeepestGraph = 8;

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw data_error("{}: it is not an ONNX model that can be used: {}", file, why);
}

// One field of a protobuf message: a number, or bytes.
struct ProtoField {
  uint32_t number = 0;
  uint32_t wire = 0;  // 0 varint, 1 eight bytes, 2 bytes of a length, 5 four bytes
  uint64_t value = 0;
  Bytes bytes = {};

  std::string text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

class ProtoReader {
 public:
  ProtoReader(Bytes bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  bool next(ProtoField& field) {
    if (bytes_.empty()) return false;
    const uint64_t key = varint();
    field = {static_cast<uint32_t>(key >> 3), static_cast<uint32_t>(key & 7)};
    if (field.number == 0 || key >> 35 != 0) refuse(file_, "it is not made of protobuf fields");
    if (field.wire == 0)
      field.value = varint();
    else if (field.wire == 1)
      field.bytes = take(8);
    else if (field.wire == 2)
      field.bytes = take(varint());
    else if (field.wire == 5)
      field.bytes = take(4);
    else
      refuse(file_, "it is not made of protobuf fields");
    return true;
  }

  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (bytes_.empty()) refuse(file_, "it is cut short");
      const auto byte = static_cast<uint64_t>(bytes_[0]);
      bytes_ = bytes_.subspan(1);
      if (shift == 63 && byte > 1) break;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    refuse(file_, "it is not made of protobuf fields");
  }

  bool done() const { return bytes_.empty(); }

 private:
  Bytes take(uint64_t count) {
    if (count > bytes_.size()) refuse(file_, "it is cut short");
    const Bytes out = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return out;
  }

  Bytes bytes_;
  const std::string& file_;
};

// Numbers of a repeated field, packed or one by one.
void add_numbers(const ProtoField& field, const std::string& file, std::vector<uint64_t>& out) {
  if (field.wire == 0) {
    out.push_back(field.value);
    return;
  }
  for (ProtoReader packed(field.bytes, file); !packed.done();) out.push_back(packed.varint());
}

// Bytes per element by ONNX's numbers of types; 0 for types that are not numbers.
size_t element_bytes(uint64_t type) {
  constexpr size_t kBytes[] = {0, 4, 1, 1, 2, 2, 4, 8, 0, 1, 2, 8, 4, 8, 8, 16, 2};
  return type < std::size(kBytes) ? kBytes[type] : 0;
}

class OnnxReader {
 public:
  explicit OnnxReader(const std::string& file) : file_(file) {}

  OnnxModel read(Bytes bytes) {
    bool has_graph = false, has_version = false;
    ProtoField field;
    for (ProtoReader in(bytes, file_); in.next(field);) {
      if (field.number == 1 && field.wire == 0) has_version = true;
      if (field.wire != 2) continue;
      if (field.number == 2) model_.producer = field.text();
      if (field.number == 7) {
        if (has_graph) refuse(file_, "it has two graphs");
        has_graph = true;
        read_graph(field.bytes, 0);
      }
      if (field.number == 14) read_metadata(field.bytes);
    }
    if (!has_graph || !has_version) refuse(file_, "it has no graph");
    std::erase_if(model_.inputs,
                  [&](const OnnxValue& input) { return with_values_.contains(input.name); });
    return std::move(model_);
  }

 private:
  void read_metadata(Bytes bytes) {
    std::string key, value;
    ProtoField field;
    for (ProtoReader in(bytes, file_); in.next(field);) {
      if (field.number == 1) key = field.text();
      if (field.number == 2) value = field.text();
    }
    model_.metadata[key] = value;
  }

  void read_graph(Bytes bytes, int depth) {
    if (depth > kDeepestGraph) refuse(file_, "its graphs are nested too deeply");
    ProtoField field;
    for (ProtoReader in(bytes, file_); in.next(field);) {
      if (field.wire != 2) continue;
      if (field.number == 1) read_node(field.bytes, depth);
      if (field.number == 5) check_tensor(field.bytes);
      if (depth > 0) continue;
      if (field.number == 11) model_.inputs.push_back(read_value(field.bytes));
      if (field.number == 12) model_.outputs.push_back(read_value(field.bytes));
    }
  }

  void read_node(Bytes bytes, int depth) {
    ProtoField field;
    for (ProtoReader in(bytes, file_); in.next(field);) {
      if (field.number == 4 && field.wire == 2) ++model_.operators[field.text()];
      if (field.number == 5 && field.wire == 2) read_attribute(field.bytes, depth);
    }
  }

  void read_attribute(Bytes bytes, int depth) {
    ProtoField field;
    for (ProtoReader in(bytes, file_); in.next(field);) {
      if (field.wire != 2) continue;
      if (field.number == 5 || field.number == 10) check_tensor(field.bytes);
      if (field.number == 6 || field.number == 11) read_graph(field.bytes, depth + 1);
    }
  }

  // The file must hold as many values as the shape says.
  void check_tensor(Bytes bytes) {
    std::vector<uint64_t> shape;
    uint64_t type = 0, listed = 0;
    Bytes raw;
    bool has_raw = false, external = false;
    std::string name;
    ProtoField field;
    for (ProtoReader in(bytes, file_); in.next(field);) {
      if (field.number == 1) add_numbers(field, file_, shape);
      if (field.number == 2) type = field.value;
      if (field.number == 4) listed += field.wire == 2 ? field.bytes.size() / 4 : 1;   // floats
      if (field.number == 10) listed += field.wire == 2 ? field.bytes.size() / 8 : 1;  // doubles
      if (field.number == 5 || field.number == 7 || field.number == 11) {
        std::vector<uint64_t> numbers;
        add_numbers(field, file_, numbers);
        listed += numbers.size();
      }
      if (field.number == 6) ++listed;  // texts
      if (field.number == 8) name = field.text();
      if (field.number == 9) raw = field.bytes, has_raw = true;
      if (field.number == 13 || (field.number == 14 && field.value == 1)) external = true;
    }
    if (external) refuse(file_, "its array '" + name + "' is in another file");
    uint64_t elements = 1;
    for (const uint64_t size : shape) {
      if (size > kMostElements || (elements *= size) > kMostElements)
        refuse(file_, "its array '" + name + "' claims to be huge");
    }
    const uint64_t held =
        has_raw ? (element_bytes(type) == 0 ? 0 : raw.size() / element_bytes(type)) : listed;
    if (held != elements)
      refuse(file_, fmt::format("its array '{}' has {} values, but its shape says {}", name, held,
                                elements));
    if (!name.empty()) with_values_.insert(name);
    model_.num_weights += elements;
  }

  OnnxValue read_value(Bytes bytes) {
    OnnxValue out;
    ProtoField field, inner;
    for (ProtoReader in(bytes, file_); in.next(field);) {
      if (field.number == 1) out.name = field.text();
      if (field.number != 2 || field.wire != 2) continue;
      for (ProtoReader type(field.bytes, file_); type.next(inner);)
        if (inner.number == 1 && inner.wire == 2) read_tensor_type(inner.bytes, out);
    }
    return out;
  }

  void read_tensor_type(Bytes bytes, OnnxValue& out) {
    ProtoField field, dimension, part;
    for (ProtoReader in(bytes, file_); in.next(field);) {
      if (field.number == 1) out.element_type = static_cast<int>(field.value);
      if (field.number != 2 || field.wire != 2) continue;
      for (ProtoReader shape(field.bytes, file_); shape.next(dimension);) {
        if (dimension.number != 1 || dimension.wire != 2) continue;
        long size = -1;
        for (ProtoReader of(dimension.bytes, file_); of.next(part);)
          if (part.number == 1 && part.wire == 0 && part.value < kMostElements)
            size = static_cast<long>(part.value);
        out.shape.push_back(size > 0 ? size : -1);
      }
    }
  }

  const std::string& file_;
  OnnxModel model_;
  std::set<std::string> with_values_;
};

// A message that is written field by field.
class ProtoWriter {
 public:
  void number(uint32_t field, uint64_t value) {
    varint(uint64_t{field} << 3);
    varint(value);
  }
  void bytes(uint32_t field, Bytes value) {
    varint(uint64_t{field} << 3 | 2);
    varint(value.size());
    append(value);
  }
  void message(uint32_t field, const ProtoWriter& value) { bytes(field, value.out_); }
  // A field as it was read.
  void copy(const ProtoField& field) {
    if (field.wire == 0) return number(field.number, field.value);
    if (field.wire == 2) return bytes(field.number, field.bytes);
    varint(uint64_t{field.number} << 3 | field.wire);
    append(field.bytes);
  }
  std::vector<std::byte> take() { return std::move(out_); }

 private:
  void append(Bytes value) { out_.insert(out_.end(), value.begin(), value.end()); }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<std::byte>(value | 0x80));
    out_.push_back(static_cast<std::byte>(value));
  }
  std::vector<std::byte> out_;
};

ProtoWriter picture_input(const std::string& name, int height, int width) {
  ProtoWriter shape, tensor, type, out;
  for (const int size : {1, 3, height, width}) {
    ProtoWriter dimension;
    dimension.number(1, static_cast<uint64_t>(size));
    shape.message(1, dimension);
  }
  tensor.number(1, 1);  // floats
  tensor.message(2, shape);
  type.message(1, tensor);
  out.bytes(1, std::as_bytes(std::span(name)));
  out.message(2, type);
  return out;
}

}  // namespace

OnnxModel read_onnx(std::span<const std::byte> bytes, const std::string& file) {
  return OnnxReader(file).read(bytes);
}

std::vector<std::byte> with_input_size(std::span<const std::byte> bytes, const std::string& input,
                                       int height, int width) {
  const std::string file = "a model that was read";
  ProtoWriter model;
  ProtoField field, part, name;
  for (ProtoReader in(bytes, file); in.next(field);) {
    if (field.number != 7 || field.wire != 2) {
      model.copy(field);
      continue;
    }
    ProtoWriter graph;
    for (ProtoReader parts(field.bytes, file); parts.next(part);) {
      bool is_input = false;
      if (part.number == 11 && part.wire == 2)
        for (ProtoReader value(part.bytes, file); value.next(name);)
          is_input |= name.number == 1 && name.wire == 2 && name.text() == input;
      if (is_input)
        graph.message(11, picture_input(input, height, width));
      else
        graph.copy(part);
    }
    model.message(7, graph);
  }
  return model.take();
}

}  // namespace muster
