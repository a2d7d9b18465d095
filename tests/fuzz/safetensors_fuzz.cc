// Any bytes are named arrays inside the file or a data error. Without the checksum, which would
// stop almost every input before the checks that matter.
#include "muster/store/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    const muster::TensorMap map =
        muster::parse_safetensors(bytes, nullptr, "fuzz", muster::ChecksumPolicy::kIfPresent);
    for (const auto& [name, tensor] : map.tensors) {
      MUSTER_CHECK(tensor.num_bytes == tensor.num_elements() * muster::dtype_size(tensor.dtype));
      MUSTER_CHECK(tensor.data >= bytes.data());
      MUSTER_CHECK(tensor.data + tensor.num_bytes <= bytes.data() + bytes.size());
    }
  } catch (const muster::Error& error) {
    MUSTER_CHECK(error.kind() == muster::ErrorKind::kData);
  }
  return 0;
}
