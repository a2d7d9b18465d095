// OpenCV keeps its settings in global state; whoever calls it goes through here first.
#pragma once

namespace muster {

// Turns off OpenCV's messages and its own threads (we thread over pictures), once. Thread-safe.
void prepare_opencv();

}  // namespace muster
