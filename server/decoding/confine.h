// What a process gives up before it touches the bytes of a stranger.
#pragma once

namespace muster::server {

// From here on the process may use memory, read and write what is open, and end; any other call of
// the system kills it, and so does more than 1 GiB of memory of its own (or the allocation fails).
// Returns 0, or the error of a system that refuses to filter calls: the limits hold then, but not
// the filter. Builds with sanitizers, which need other calls, have neither the filter nor the limit
// on memory.
int confine();

}  // namespace muster::server
