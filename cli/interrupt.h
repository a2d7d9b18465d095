// Ctrl-C ends a command in an orderly way: files that are being written are discarded, what is done
// is kept.
#pragma once

namespace muster::cli {

// From now on the first SIGINT or SIGTERM is only noted; a second one ends the process at once.
void watch_for_interrupt();
bool was_interrupted();
// Throws an Error of kind kCancelled once a signal was noted. Every progress callback calls it, so
// long work stops at its next step.
void stop_if_interrupted();

}  // namespace muster::cli
