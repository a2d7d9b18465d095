// Any text is labelled vectors of finite numbers or a data error.
#include <cmath>

#include "muster/core/error.h"
#include "muster/store/libsvm_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  constexpr size_t kFreeValues = 10'000;  // most of the time would go into zeros
  try {
    const muster::LabelledVectors out = muster::parse_libsvm(text, "fuzz", kFreeValues);
    MUSTER_CHECK(out.labels.size() == out.vectors.rows());
    for (const float value : out.vectors.values()) MUSTER_CHECK(std::isfinite(value));
  } catch (const muster::Error& error) {
    MUSTER_CHECK(error.kind() == muster::ErrorKind::kData);
  }
  return 0;
}
