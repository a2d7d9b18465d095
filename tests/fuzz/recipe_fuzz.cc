// Any text is a recipe that reads back from its own text as the same, or a usage error.
#include "muster/core/error.h"
#include "muster/recipe/recipe.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const muster::Recipe recipe = muster::parse_recipe(text);
    MUSTER_CHECK(!recipe.branches.empty());
    MUSTER_CHECK(muster::parse_recipe(recipe.text()) == recipe);
  } catch (const muster::Error& error) {
    MUSTER_CHECK(error.kind() == muster::ErrorKind::kUsage);
  }
  return 0;
}
