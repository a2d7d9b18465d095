// Any bytes are a network's description or a data error.
#include "muster/core/error.h"
#include "muster/dnn/onnx_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    muster::read_onnx(std::as_bytes(std::span(data, size)), "fuzz");
  } catch (const muster::Error& error) {
    MUSTER_CHECK(error.kind() == muster::ErrorKind::kData);
  }
  return 0;
}
