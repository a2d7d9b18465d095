#include "muster/experiment/raw_split.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "muster/cluster/world.h"
#include "muster/core/error.h"
#include "muster/results/results_json.h"
#include "muster/store/atomic_file.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

Matrix<double> matrix_of(const Json& rows) {
  const auto values = rows.get<std::vector<std::vector<double>>>();
  Matrix<double> out(values.size(), values.empty() ? 0 : values[0].size());
  for (size_t r = 0; r < out.rows(); ++r) {
    if (values[r].size() != out.cols()) throw data_error("rows of unequal length");
    std::ranges::copy(values[r], out.row(r).begin());
  }
  return out;
}

}  // namespace

void write_raw_split(const std::filesystem::path& file, const RawSplit& split) {
  Json out = to_json(split.result);
  for (size_t r = 0; r < split.probabilities.rows(); ++r) {
    const auto row = split.probabilities.row(r);
    out["probabilities"].push_back(std::vector<double>(row.begin(), row.end()));
  }
  out["key"] = split.key;
  write_file_atomically(file, out.dump() + "\n");
}

std::optional<RawSplit> read_raw_split(const std::filesystem::path& file, const std::string& key,
                                       size_t num_classes) {
  std::string text;
  if (on_first_rank()) {
    std::ifstream in(file);
    text.assign(std::istreambuf_iterator<char>(in), {});
  }
  text = text_of_first_rank(text);
  if (text.empty()) return std::nullopt;
  const Json kept = Json::parse(text, nullptr, false);
  const auto found = kept.is_object() ? kept.find("key") : kept.end();
  if (found == kept.end() || *found != Json(key)) return std::nullopt;
  try {
    RawSplit out{key, split_from_json(kept, num_classes, file.filename().string()), {}};
    if (const auto rows = kept.find("probabilities"); rows != kept.end())
      out.probabilities = matrix_of(*rows);
    return out;
  } catch (const Error&) {
    return std::nullopt;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace muster
