// Ctrl-C ends a command in an orderly way: files that are being written are discarded, what is done
// is kept.
#pragma once

#include <exception>

namespace muster::cli {

// The exit code that shells give to a program ended by SIGINT.
inline constexpr int kInterruptedExit = 130;

struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

// From now on the first SIGINT or SIGTERM is only noted; a second one ends the process at once.
void watch_for_interrupt();
bool was_interrupted();
// Throws Interrupted once a signal was noted. Every progress callback calls it, so long work stops
// at its next step.
void stop_if_interrupted();

}  // namespace muster::cli
