#include "interrupt.h"

#include <csignal>

#include "muster/core/error_type.h"

namespace muster::cli {
namespace {

// The one global of the command: a signal handler can reach nothing else.
volatile std::sig_atomic_t noted = 0;

extern "C" void note_signal(int signal) {
  noted = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void watch_for_interrupt() {
  std::signal(SIGINT, note_signal);
  std::signal(SIGTERM, note_signal);
}

bool was_interrupted() { return noted != 0; }

void stop_if_interrupted() {
  if (was_interrupted())
    throw Error(ErrorKind::kCancelled,
                "interrupted; bench, reproduce, extract and synth go on from here when run again");
}

}  // namespace muster::cli
