#include "muster/store/npy.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>

#include "muster/simd/half.h"
#include "muster/store/atomic_file.h"
#include "muster/store/read_file.h"

namespace muster {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are stored little-endian");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kAlignment = 64;  // of the data, as the format asks
constexpr size_t kMaxHeaderBytes = 1 << 20;

template <class... Args>
[[noreturn]] void complain(const std::string& name, fmt::format_string<Args...> what,
                           Args&&... args) {
  throw data_error("'{}': {}", name, fmt::format(what, std::forward<Args>(args)...));
}

// Reads the header, a Python dictionary literal of three known keys:
// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  void parse(NpyArray& array) {
    expect('{');
    bool has_type = false, has_order = false, has_shape = false;
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && !std::exchange(has_type, true))
        type(array);
      else if (key == "fortran_order" && !std::exchange(has_order, true))
        array.fortran_order = boolean();
      else if (key == "shape" && !std::exchange(has_shape, true))
        shape(array);
      else
        fail();
      if (accept(',')) continue;
      expect('}');
      break;
    }
    skip_space();
    if (!text_.empty() || !has_type || !has_order || !has_shape) fail();
  }

 private:
  [[noreturn]] void fail() const {
    complain(name_, "not a NumPy array, or damaged: its header is malformed");
  }
  void skip_space() {
    while (!text_.empty() &&
           std::string_view(" \t\r\n").find(text_.front()) != std::string_view::npos)
      text_.remove_prefix(1);
  }
  bool accept(char c) {
    skip_space();
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail();
  }
  bool accept_word(std::string_view word) {
    skip_space();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  bool boolean() {
    if (accept_word("True")) return true;
    if (!accept_word("False")) fail();
    return false;
  }
  std::string_view quoted() {
    skip_space();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) fail();
    const size_t end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos) fail();
    const std::string_view inside = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return inside;
  }
  void type(NpyArray& array) {
    skip_space();
    const bool structured = !text_.empty() && text_.front() == '[';
    const std::string_view code = structured ? "a structured type" : quoted();
    constexpr std::string_view kKnown[] = {"f2", "f4", "f8", "i1", "i2", "i4",
                                           "i8", "u1", "u2", "u4", "u8", "b1"};
    for (std::string_view known : kKnown) {
      const bool byte_sized = known[1] == '1';
      if (code.size() != 3 || code.substr(1) != known) continue;
      if (code[0] != '<' && code[0] != '=' && !(byte_sized && code[0] == '|')) continue;
      array.kind = known[0];
      array.item_bytes = static_cast<size_t>(known[1] - '0');
      return;
    }
    complain(name_,
             "its elements are {}; allowed are little-endian real numbers (f2, f4, f8, i1 to i8, "
             "u1 to u8, "
             "bool): save it as float32",
             code);
  }
  void shape(NpyArray& array) {
    expect('(');
    while (!accept(')')) {
      skip_space();
      size_t extent;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), extent);
      if (error != std::errc()) fail();
      text_.remove_prefix(static_cast<size_t>(end - text_.data()));
      array.shape.push_back(extent);
      if (accept(',')) continue;
      expect(')');
      break;
    }
  }

  std::string_view text_;
  const std::string& name_;
};

template <class Stored, class T>
void convert(const NpyArray& array, Matrix<T>& out) {
  const size_t rows = out.rows(), cols = out.cols();
  const std::byte* data = array.data.data();
  const auto load = [&](size_t index) {
    Stored value;
    std::memcpy(&value, data + index * sizeof(Stored), sizeof(Stored));
    return static_cast<T>(value);
  };
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < cols; ++c)
      out(r, c) = load(array.fortran_order ? c * rows + r : r * cols + c);
}

template <class T>
void convert_halves(const NpyArray& array, Matrix<T>& out) {
  std::vector<uint16_t> halves(out.size());
  std::vector<float> floats(out.size());
  if (!halves.empty()) std::memcpy(halves.data(), array.data.data(), array.data.size());
  halves_to_floats(halves, floats);
  NpyArray as_floats = array;
  as_floats.data = std::as_bytes(std::span(floats));
  convert<float>(as_floats, out);
}

template <class T>
void convert_any(const NpyArray& array, Matrix<T>& out) {
  switch (array.kind * 16 + static_cast<int>(array.item_bytes)) {
    case 'f' * 16 + 2:
      return convert_halves(array, out);
    case 'f' * 16 + 4:
      return convert<float>(array, out);
    case 'f' * 16 + 8:
      return convert<double>(array, out);
    case 'i' * 16 + 1:
      return convert<int8_t>(array, out);
    case 'i' * 16 + 2:
      return convert<int16_t>(array, out);
    case 'i' * 16 + 4:
      return convert<int32_t>(array, out);
    case 'i' * 16 + 8:
      return convert<int64_t>(array, out);
    case 'b' * 16 + 1:
    case 'u' * 16 + 1:
      return convert<uint8_t>(array, out);
    case 'u' * 16 + 2:
      return convert<uint16_t>(array, out);
    case 'u' * 16 + 4:
      return convert<uint32_t>(array, out);
    case 'u' * 16 + 8:
      return convert<uint64_t>(array, out);
  }
  MUSTER_CHECK(false);
}

std::string shape_text(const std::vector<size_t>& shape) {
  return shape.empty() ? "a single number" : fmt::format("{}", fmt::join(shape, " x "));
}

}  // namespace

NpyArray parse_npy(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic))
    complain(name, "not a NumPy array: it does not begin as a .npy file does");
  const int version = text.size() > kMagic.size() ? text[kMagic.size()] : 0;
  if (version < 1 || version > 3)
    complain(name, "of .npy version {}; known are 1, 2 and 3", version);
  const size_t length_at = kMagic.size() + 2, length_bytes = version == 1 ? 2 : 4;
  const size_t header_at = length_at + length_bytes;
  if (text.size() < header_at) complain(name, "cut short: it has only {} bytes", text.size());
  uint32_t header_bytes = 0;
  std::memcpy(&header_bytes, text.data() + length_at, length_bytes);
  if (header_bytes > kMaxHeaderBytes || header_bytes > text.size() - header_at)
    complain(name, "cut short or damaged: its header should have {} bytes, the file has {}",
             header_bytes, text.size());

  NpyArray array;
  HeaderParser(text.substr(header_at, header_bytes), name).parse(array);
  array.data = bytes.subspan(header_at + header_bytes);
  size_t needed = array.item_bytes;
  for (size_t extent : array.shape)
    if (__builtin_mul_overflow(needed, extent, &needed))
      complain(name, "damaged: a shape of {} is impossible", shape_text(array.shape));
  if (needed != array.data.size())
    complain(name, "cut short or damaged: a shape of {} needs {} bytes of values, the file has {}",
             shape_text(array.shape), needed, array.data.size());
  return array;
}

template <class T>
Matrix<T> npy_to_matrix(const NpyArray& array, const std::string& name) {
  if (array.shape.size() != 2)
    complain(
        name,
        "its shape is {}; expected n x d, one vector per row (in NumPy: reshape(1, -1) for one "
        "vector, reshape(-1, 1) for n numbers)",
        shape_text(array.shape));
  // Extents without a single value cost nothing to write; a real set of no vectors has a plausible
  // width.
  constexpr size_t kMaxEmptyExtent = size_t{1} << 20;
  if (array.data.empty() && std::max(array.shape[0], array.shape[1]) > kMaxEmptyExtent)
    complain(name, "damaged: a shape of {} is impossible", shape_text(array.shape));
  Matrix<T> out(array.shape[0], array.shape[1]);
  convert_any(array, out);
  for (size_t r = 0; r < out.rows(); ++r)
    for (size_t c = 0; c < out.cols(); ++c)
      if (!std::isfinite(out(r, c)))
        complain(name, "row {}, column {} (counted from 0) is {}; only finite numbers are allowed",
                 r, c, std::isnan(out(r, c)) ? "NaN" : "infinite or too large");
  return out;
}

template <class T>
Matrix<T> read_npy(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_file(path);
  return npy_to_matrix<T>(parse_npy(bytes, path.string()), path.string());
}

namespace {

// Everything before the values of a rows x cols array.
template <class T>
std::string npy_start(size_t rows, size_t cols) {
  constexpr const char* descr = std::is_same_v<T, float>    ? "<f4"
                                : std::is_same_v<T, double> ? "<f8"
                                                            : "<i8";
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}), }}",
                                   descr, rows, cols);
  const size_t prefix = kMagic.size() + 4;
  header.append(kAlignment - 1 - (prefix + header.size()) % kAlignment, ' ');
  header += '\n';
  const auto length = static_cast<uint16_t>(header.size());
  std::string start = fmt::format("{}{}{}", kMagic, '\1', '\0');
  start.append(reinterpret_cast<const char*>(&length), sizeof(length));
  return start + header;
}

}  // namespace

template <class T>
std::vector<std::byte> npy_bytes(MatrixView<const T> values) {
  const std::string start = npy_start<T>(values.rows, values.cols);
  const size_t row_bytes = values.cols * sizeof(T);
  std::vector<std::byte> out(start.size() + values.rows * row_bytes);
  std::memcpy(out.data(), start.data(), start.size());
  for (size_t r = 0; r < values.rows && row_bytes > 0; ++r)
    std::memcpy(out.data() + start.size() + r * row_bytes, values.row(r).data(), row_bytes);
  return out;
}

template <class T>
void write_npy(const std::filesystem::path& path, MatrixView<const T> values) {
  write_file_atomically(path, npy_bytes(values));
}

NpyBlockFile::NpyBlockFile(const std::filesystem::path& path, size_t rows, size_t cols)
    : file_(path), cols_(cols) {
  const std::string start = npy_start<double>(rows, cols);
  data_at_ = start.size();
  file_.write(start);
}

void NpyBlockFile::write(size_t row, size_t col, MatrixView<const double> values) {
  for (size_t i = 0; i < values.rows; ++i) {
    const auto bytes = std::as_bytes(values.row(i));
    if (takes_any_order())
      file_.write_at(data_at_ + ((row + i) * cols_ + col) * sizeof(double), bytes);
    else
      file_.write(bytes);
  }
}

void NpyBlockFile::write_transposed(size_t row, size_t col, MatrixView<const double> values) {
  constexpr size_t kColumns = 64;  // a cache line of each row at a time
  Matrix<double> turned(kColumns, values.rows);
  for (size_t begin = 0; begin < values.cols; begin += kColumns) {
    const size_t count = std::min(kColumns, values.cols - begin);
    for (size_t i = 0; i < values.rows; ++i)
      for (size_t j = 0; j < count; ++j) turned(j, i) = values(i, begin + j);
    write(row + begin, col, turned.view().slice_rows(0, count));
  }
}

template Matrix<float> npy_to_matrix<float>(const NpyArray&, const std::string&);
template Matrix<double> npy_to_matrix<double>(const NpyArray&, const std::string&);
template Matrix<float> read_npy<float>(const std::filesystem::path&);
template Matrix<double> read_npy<double>(const std::filesystem::path&);
template std::vector<std::byte> npy_bytes(MatrixView<const float>);
template std::vector<std::byte> npy_bytes(MatrixView<const double>);
template std::vector<std::byte> npy_bytes(MatrixView<const int64_t>);
template void write_npy(const std::filesystem::path&, MatrixView<const float>);
template void write_npy(const std::filesystem::path&, MatrixView<const double>);
template void write_npy(const std::filesystem::path&, MatrixView<const int64_t>);

}  // namespace muster
