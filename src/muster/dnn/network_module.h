// Finds and loads muster-dnn.so, the module that runs neural networks.
#pragma once

#include <filesystem>

#include "muster/dnn/network.h"

namespace muster {

// Where the module is: the file that MUSTER_DNN_MODULE names, else beside the program, else in the
// folder lib/muster of the installation. Empty if there is none.
std::filesystem::path find_network_module();

// Loaded at the first call, for good. A usage error that says what to install if there is none; a
// runtime failure if it cannot be loaded. Thread-safe.
const NetworkModule& network_module();

}  // namespace muster
