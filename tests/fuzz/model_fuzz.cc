// Any bytes are a model, which answers with numbers, or a data error. The input is signed, so that
// the checksum does not stop it, and most changes are made inside of one array or text and signed,
// so that what stands behind the layout of the file is reached.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "muster/core/rng.h"
#include "muster/muster.h"
#include "muster/store/checksum.h"
#include "muster/store/safetensors.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

using namespace muster;
using Bytes = std::vector<std::byte>;

// As store/safetensors.cc signs: over the header with blank digits, then the arrays.
void sign(Bytes& bytes) {
  constexpr std::string_view kEntry = "\"muster.checksum\":\"", kBlank = "0000000000000000";
  uint64_t length = 0;
  if (bytes.size() < sizeof(length)) return;
  std::memcpy(&length, bytes.data(), sizeof(length));
  if (length > bytes.size() - sizeof(length)) return;
  const std::span header = std::span(bytes).subspan(sizeof(length), length);
  const std::string_view text(reinterpret_cast<const char*>(header.data()), header.size());
  const size_t entry = text.find(kEntry), digits = entry + kEntry.size();
  if (entry == text.npos || digits + kBlank.size() >= text.size()) return;
  std::memcpy(header.data() + digits, kBlank.data(), kBlank.size());
  Checksum sum(checksum_of(header));
  sum.update(std::span(bytes).subspan(sizeof(length) + length));
  const std::string signature = fmt::format("{:016x}", sum.digest());
  std::memcpy(header.data() + digits, signature.data(), signature.size());
}

// A few vectors of the width that the seeds have, with places.
struct Items {
  static constexpr size_t kRows = 5;
  std::vector<float> vectors, places;
  explicit Items(size_t dim) {
    for (size_t i = 0; i < kRows * dim; ++i)
      vectors.push_back(std::sin(static_cast<float>(3 * i + 1)));
    for (size_t i = 0; i < kRows; ++i) {
      const float x = static_cast<float>(i) / kRows;
      places.insert(places.end(), {x, 1 - x, 0.2f});
    }
  }
  SetView view(size_t rows) const {
    return {.vectors = vectors.data(),
            .rows = rows,
            .dim = vectors.size() / kRows,
            .places = places.data(),
            .place_columns = 3};
  }
};

void check(const Answer& answer, bool multi_label) {
  if (const Error* error = answer.error()) {
    MUSTER_CHECK(error->kind() == ErrorKind::kData);
    return;
  }
  double sum = 0;
  for (const double p : answer->probabilities()) {
    MUSTER_CHECK(p >= 0 && p <= 1 + 1e-9);
    sum += p;
  }
  MUSTER_CHECK(multi_label || std::abs(sum - 1) < 1e-6);
  for (const double score : answer->scores()) MUSTER_CHECK(std::isfinite(score));
}

// One array or text of the model, changed; empty if the result is no file.
Bytes changed(const Bytes& file, uint64_t seed) {
  TensorMap map = parse_safetensors(file, "fuzz");
  Rng rng(seed);
  const size_t texts = map.metadata.size(), count = texts + map.tensors.size();
  if (count == 0) return {};
  const size_t which = rng.below(count);
  if (which < texts) {
    std::string& text = std::next(map.metadata.begin(), static_cast<long>(which))->second;
    const size_t size = text.size();
    text.resize(size + 64);
    text.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(text.data()), size, text.size()));
    return format_safetensors(map, "fuzz");
  }
  Tensor& tensor = std::next(map.tensors.begin(), static_cast<long>(which - texts))->second;
  Bytes values(tensor.data, tensor.data + tensor.num_bytes);
  if (!tensor.shape.empty() && rng.below(4) == 0) {
    tensor.shape[rng.below(tensor.shape.size())] = rng.below(8);
  } else if (!values.empty()) {
    LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(values.data()), values.size(), values.size());
  }
  tensor.num_bytes = tensor.num_elements() * dtype_size(tensor.dtype);
  values.resize(tensor.num_bytes);
  tensor.data = values.data();
  return format_safetensors(map, "fuzz");
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  constexpr unsigned kAnyBytes = 8;  // one change in so many pays no heed to the layout
  if (seed % kAnyBytes != 0) {
    const auto given = std::as_bytes(std::span(data, size));
    Bytes bytes(given.begin(), given.end());
    sign(bytes);
    try {
      const Bytes out = changed(bytes, seed);
      if (!out.empty() && out.size() <= max_size) {
        std::memcpy(data, out.data(), out.size());
        return out.size();
      }
    } catch (const Error&) {  // not a file, or a text that is not UTF-8
    }
  }
  return LLVMFuzzerMutate(data, size, max_size);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Items items(3);
  const auto given = std::as_bytes(std::span(data, size));
  Bytes bytes(given.begin(), given.end());
  sign(bytes);
  try {
    const Model model = load(bytes);
    const std::vector<SetView> views{items.view(Items::kRows), items.view(1), items.view(0)};
    for (const Answer& answer : model.predict(views, {.threads = 1}))
      check(answer, model.info().multi_label);
  } catch (const Error& error) {
    MUSTER_CHECK(error.kind() == ErrorKind::kData || error.kind() == ErrorKind::kUsage);
  }
  return 0;
}
