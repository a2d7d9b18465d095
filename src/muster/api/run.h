// What every call of the front door begins with: its threads, its progress and its cancellation.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "muster/core/parallel.h"
#include "muster/muster.h"
#include "muster/source/set_source.h"

namespace muster {

template <class Options>
RunOptions run_options(const Options& options) {
  return {options.threads, options.progress, options.cancel, options.notice, options.source};
}

// For the duration of one call.
class Run {
 public:
  // `what` is the work in messages. Work that is cancelled already throws at once. A negative
  // number of threads is a usage error.
  Run(RunOptions options, std::string what);

  // Stops the work, by throwing, as soon as it is cancelled.
  const Progress& progress() const { return progress_; }
  const SourceOptions& source() const { return options_.source; }
  const Notice& notice() const { return options_.notice; }
  void say(const std::string& message) const {
    if (options_.notice) options_.notice(message);
  }
  // At most a few by name.
  void say_left_out(std::span<const std::string> reasons) const;

 private:
  RunOptions options_;
  std::string what_;
  ThreadLimit limit_;
  Progress progress_;
};

// With the names of the items.
std::vector<LeftOut> named(const SetSource& source, std::span<const ItemFailure> failures);
std::vector<std::string> reasons_of(std::span<const ItemFailure> failures);

// All of one kind, which is returned; no items are a usage error, a mix of kinds is a data error.
ItemKind common_kind(const SetSource& source, const std::string& what);

}  // namespace muster
