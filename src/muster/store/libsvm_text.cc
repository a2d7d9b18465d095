#include "muster/store/libsvm_text.h"

#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>

#include "muster/core/error.h"
#include "muster/store/atomic_file.h"
#include "muster/store/read_file.h"

namespace muster {
namespace {

// How much memory the zeros that a sparse text leaves out may take: a short text that names a far
// index is refused, the sparsest sets in use (a few hundred bytes per byte of text) are not.
constexpr size_t kDenseValuesPerByte = 256;

std::string_view next_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r"), rest.size()));
  const size_t end = std::min(rest.find_first_of(" \t\r"), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end);
  return word;
}

// All of the text is one number.
template <class T>
std::optional<T> number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  T value;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct Entry {
  size_t row, column;
  float value;
};

struct SparseTable {
  std::vector<double> labels;
  std::vector<Entry> entries;
  size_t width = 0;
};

void parse_line(std::string_view line, const std::string& name, size_t number_of_line,
                SparseTable& table) {
  const auto bad = [&](const char* what) {
    return data_error(
        "'{}', line {}: {}; expected label index:value ... with indices from 1, increasing", name,
        number_of_line, what);
  };
  std::string_view word = next_word(line);
  if (word.empty()) return;
  const auto label = number<double>(word);
  if (!label || !std::isfinite(*label)) throw bad("the label is not a number");
  const size_t row = table.labels.size();
  table.labels.push_back(*label);
  size_t previous = 0;
  while (!(word = next_word(line)).empty()) {
    const size_t colon = word.find(':');
    if (colon == std::string_view::npos) throw bad("an entry has no colon");
    const auto index = number<size_t>(word.substr(0, colon));
    const auto value = number<float>(word.substr(colon + 1));
    if (!index || *index <= previous)
      throw bad("an index is not a whole number above the one before");
    if (!value || !std::isfinite(*value)) throw bad("a value is not a finite number");
    previous = *index;
    table.entries.push_back({row, *index - 1, *value});
  }
  table.width = std::max(table.width, previous);
}

}  // namespace

void write_libsvm(const std::filesystem::path& path, ConstMatrixView vectors,
                  std::span<const double> labels) {
  MUSTER_CHECK(labels.size() == vectors.rows);
  AtomicFile file(path);
  std::string line;
  for (size_t r = 0; r < vectors.rows; ++r) {
    line.clear();
    fmt::format_to(std::back_inserter(line), "{}", labels[r]);
    for (size_t c = 0; c < vectors.cols; ++c)
      if (vectors(r, c) != 0)
        fmt::format_to(std::back_inserter(line), " {}:{}", c + 1, vectors(r, c));
    line += '\n';
    file.write(line);
  }
  file.commit();
}

void write_libsvm_kernel(const std::filesystem::path& path, MatrixView<const double> gram,
                         std::span<const double> labels) {
  MUSTER_CHECK(labels.size() == gram.rows);
  AtomicFile file(path);
  std::string line;
  for (size_t r = 0; r < gram.rows; ++r) {
    line.clear();
    fmt::format_to(std::back_inserter(line), "{} 0:{}", labels[r], r + 1);
    for (size_t c = 0; c < gram.cols; ++c)
      fmt::format_to(std::back_inserter(line), " {}:{}", c + 1, gram(r, c));
    line += '\n';
    file.write(line);
  }
  file.commit();
}

LabelledVectors parse_libsvm(const std::string& text, const std::string& name, size_t free_values) {
  SparseTable table;
  std::string_view rest = text;
  for (size_t line = 1; !rest.empty(); ++line) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    parse_line(rest.substr(0, end), name, line, table);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const size_t rows = table.labels.size();
  const size_t most = std::max(free_values, kDenseValuesPerByte * text.size());
  if (rows > 0 && table.width > most / rows)
    throw data_error(
        "'{}': {} x {} values are too many to hold densely (at most {} for a text of its size); "
        "leave out unused indices",
        name, rows, table.width, most);
  LabelledVectors out{std::move(table.labels), Matrix<float>(rows, table.width)};
  for (const Entry& entry : table.entries) out.vectors(entry.row, entry.column) = entry.value;
  return out;
}

LabelledVectors read_libsvm(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_file(path);
  return parse_libsvm({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
}

}  // namespace muster
