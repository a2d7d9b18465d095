// Any text is a result record, which is written and read back as the same, or a data error.
#include <nlohmann/json.hpp>

#include "muster/core/error.h"
#include "muster/results/results_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace muster;
  const auto record = nlohmann::ordered_json::parse(data, data + size, nullptr, false);
  if (record.is_discarded()) return 0;
  try {
    const Results results = results_from_json(record);
    const nlohmann::ordered_json written = to_json(results);
    MUSTER_CHECK(to_json(results_from_json(written)) == written);
    summary_json(results);
    for (const MethodResult& method : results.methods)
      if (!results.class_names.empty()) confusion_counts(method, results.class_names.size());
  } catch (const Error& error) {
    MUSTER_CHECK(error.kind() == ErrorKind::kData);
  }
  return 0;
}
