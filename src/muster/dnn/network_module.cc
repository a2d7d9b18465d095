#include "muster/dnn/network_module.h"

#include <dlfcn.h>

#include <cstdlib>

#include "muster/core/error.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "muster-dnn.so";

const NetworkModule& load_module() {
  const fs::path file = find_network_module();
  if (file.empty())
    throw usage_error(
        "dnn: it is not in this build: {} was not found; install the Debian package muster-dnn, or "
        "build with libopencv-dnn-dev installed",
        kFile);
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) throw runtime_failure("dnn: {} cannot be loaded: {}", file.string(), ::dlerror());
  using Entry = const NetworkModule* (*)();
  const auto entry = reinterpret_cast<Entry>(::dlsym(handle, kNetworkModuleSymbol));
  if (!entry || entry()->version != kNetworkModuleVersion)
    throw runtime_failure("dnn: {} is not of this version of muster; install both together",
                          file.string());
  return *entry();
}

}  // namespace

fs::path find_network_module() {
  std::error_code error;
  if (const char* named = std::getenv("MUSTER_DNN_MODULE"))
    return fs::is_regular_file(named, error) ? fs::path(named) : fs::path();
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& folder : {program, program.parent_path() / MUSTER_LIBDIR / "muster",
                                 fs::path(MUSTER_FULL_LIBDIR) / "muster"})
    if (fs::is_regular_file(folder / kFile, error)) return folder / kFile;
  return {};
}

const NetworkModule& network_module() {
  static const NetworkModule& module = load_module();  // tried again after an error
  return module;
}

}  // namespace muster
