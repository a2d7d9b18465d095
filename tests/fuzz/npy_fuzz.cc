// Any bytes are a matrix or a data error.
#include "muster/store/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const muster::NpyArray array = muster::parse_npy(std::as_bytes(std::span(data, size)), "fuzz");
    muster::npy_to_matrix<float>(array, "fuzz");
    muster::npy_to_matrix<double>(array, "fuzz");
  } catch (const muster::Error& error) {
    MUSTER_CHECK(error.kind() == muster::ErrorKind::kData);
  }
  return 0;
}
