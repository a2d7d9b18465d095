// The training data that a pipeline kept. Of a loaded model they are read when they are first asked
// for: prediction needs none of them.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "muster/pipeline/pipeline.h"

namespace muster {

// Thread-safe.
class LazyTraining {
 public:
  using Read = std::function<std::shared_ptr<const KeptTraining>()>;

  explicit LazyTraining(std::shared_ptr<const KeptTraining> training)
      : training_(std::move(training)) {}
  explicit LazyTraining(Read read) : read_(std::move(read)) {}

  // Null if there are none.
  const KeptTraining* get() {
    if (read_) std::call_once(once_, [&] { training_ = read_(); });
    return training_.get();
  }

 private:
  Read read_;
  std::once_flag once_;
  std::shared_ptr<const KeptTraining> training_;
};

}  // namespace muster
