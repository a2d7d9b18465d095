#include "muster/dnn/network_module.h"

#include "muster/core/error.h"
#include "muster/core/module.h"

namespace muster {
namespace {

constexpr const char* kFile = "muster-dnn.so";

const NetworkModule& load_module() {
  const std::filesystem::path file = find_network_module();
  if (file.empty())
    throw usage_error(
        "dnn: it is not in this build: {} was not found; install the Debian package muster-dnn, or "
        "build with libopencv-dnn-dev installed",
        kFile);
  const auto* module =
      static_cast<const NetworkModule*>(call_module(file, kNetworkModuleSymbol, "dnn"));
  if (!module || module->version != kNetworkModuleVersion)
    throw runtime_failure("dnn: {} is not of this version of muster; install both together",
                          file.string());
  return *module;
}

}  // namespace

std::filesystem::path find_network_module() { return find_module(kFile, "MUSTER_DNN_MODULE"); }

const NetworkModule& network_module() {
  static const NetworkModule& module = load_module();  // tried again after an error
  return module;
}

}  // namespace muster
