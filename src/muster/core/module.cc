#include "muster/core/module.h"

#include <dlfcn.h>

#include <cstdlib>

#include "muster/core/error.h"

namespace muster {

namespace fs = std::filesystem;

fs::path find_module(const char* file, const char* variable) {
  std::error_code error;
  if (const char* named = std::getenv(variable))
    return fs::is_regular_file(named, error) ? fs::path(named) : fs::path();
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& folder : {program, program.parent_path() / MUSTER_LIBDIR / "muster",
                                 fs::path(MUSTER_FULL_LIBDIR) / "muster"})
    if (fs::is_regular_file(folder / file, error)) return folder / file;
  return {};
}

const void* call_module(const fs::path& file, const char* function, const char* what,
                        bool for_others) {
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | (for_others ? RTLD_GLOBAL : RTLD_LOCAL));
  if (!handle)
    throw runtime_failure("{}: {} cannot be loaded: {}", what, file.string(), ::dlerror());
  using Entry = const void* (*)();
  const auto entry = reinterpret_cast<Entry>(::dlsym(handle, function));
  return entry ? entry() : nullptr;
}

}  // namespace muster
