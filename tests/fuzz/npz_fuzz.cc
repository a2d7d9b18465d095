// Any bytes are an archive of matrices or a data error.
#include "muster/store/npz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    for (const muster::NpzMember& member :
         muster::parse_npz(std::as_bytes(std::span(data, size)), "fuzz"))
      muster::npz_to_matrix<float>(member, "fuzz");
  } catch (const muster::Error& error) {
    MUSTER_CHECK(error.kind() == muster::ErrorKind::kData);
  }
  return 0;
}
