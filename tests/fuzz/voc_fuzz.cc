// Any text is the objects of an annotation, each with a name, or a data error.
#include "muster/core/error.h"
#include "muster/dataset/voc.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    for (const muster::VocObject& object : muster::parse_voc_annotation(text, "fuzz"))
      MUSTER_CHECK(!object.name.empty());
  } catch (const muster::Error& error) {
    MUSTER_CHECK(error.kind() == muster::ErrorKind::kData);
  }
  return 0;
}
