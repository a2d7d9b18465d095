// For tests that run neural networks: they are skipped if the module is not in the build.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "muster/dnn/network_module.h"
#include "support/onnx_writer.h"
#include "support/temp_dir.h"

namespace muster {

// The module of this build, wherever the test lies.
inline bool have_networks() {
  ::setenv("MUSTER_DNN_MODULE", MUSTER_DNN_MODULE_FILE, 1);
  return !find_network_module().empty();
}

// MUSTER_DNN_MODEL for a scope; empty for none.
class ModelVariable {
 public:
  explicit ModelVariable(const std::string& path) {
    if (path.empty())
      ::unsetenv("MUSTER_DNN_MODEL");
    else
      ::setenv("MUSTER_DNN_MODEL", path.c_str(), 1);
  }
  ~ModelVariable() { ::unsetenv("MUSTER_DNN_MODEL"); }
  ModelVariable(const ModelVariable&) = delete;
  ModelVariable& operator=(const ModelVariable&) = delete;
};

}  // namespace muster

#define MUSTER_NEED_NETWORKS() \
  if (!::muster::have_networks()) GTEST_SKIP() << "dnn is not in this build: no libopencv-dnn-dev"
