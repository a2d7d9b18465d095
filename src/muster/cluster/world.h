// The ranks that this process is one of. There is one such answer per process, as there is one set
// of threads.
#pragma once

#include <string>

#include "muster/cluster/cluster.h"

namespace muster {

// Alone, unless join_world() was called.
Cluster& world();

// How many processes mpirun or srun says that it started; 1 if it was neither, or if MUSTER_ALONE
// is set to anything but 0: what mpirun says is inherited by whatever its processes start.
size_t launched_ranks();
// Which of them this one is.
size_t launched_rank();

// Joins the others, once, before anything else uses world(). A usage error that says what to
// install if there is no module for it, or what to change if the processes cannot find each other.
void join_world();

// What rank 0 gives; the others wait for it.
std::string text_of_first_rank(const std::string& own);

// Refuses ranks for which a text differs: `what` says of what, `advice` what to do. Calls gather().
void require_alike(const std::string& text, const std::string& what, const std::string& advice);

// Whether this is the thread that joined.
bool on_world_thread();

// The rank that writes files and prints.
inline bool on_first_rank() { return world().rank() == 0; }

}  // namespace muster
