// What a server's process needs of the system: signals and open files.
#pragma once

#include <signal.h>

#include <functional>

#include "server/server.h"

namespace muster::server {

// As many connections as the system lets us open, up to what we want.
unsigned connections_allowed();

// Blocks the signals that end a server or ask it to reload; to be called before any thread begins,
// so that all inherit it.
sigset_t block_signals();

// Large bodies and pictures go back to the system when they are done with. Left to itself, malloc
// keeps as much as the largest of them took.
void return_large_blocks();

// Until a signal asks to end: `turn` is called a few times per second, with whether SIGHUP came.
void serve_until_signal(Server& server, const sigset_t& signals,
                        const std::function<void(bool)>& turn);
// Answers what has begun; who asks twice does not want to wait.
void drain_and_end(Server& server, sigset_t signals, std::chrono::seconds most);

}  // namespace muster::server
