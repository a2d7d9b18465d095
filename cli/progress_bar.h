// A progress callback that draws one line on the terminal: step, bar, share, rate, time left.
#pragma once

#include "muster/core/progress.h"

namespace muster::cli {

Progress make_progress_bar();

}  // namespace muster::cli
