// What a server's process needs of the system: signals and open files.
#pragma once

#include <functional>

#include "server/server.h"

namespace muster::server {

// As many connections as the system lets us open, up to what we want.
unsigned connections_allowed();

// From here on, signals that end a server or ask it to reload are noted for serve_until_signal.
// Whichever thread takes them: libraries start threads before main does (OpenBLAS), which would not
// inherit it if the signals were blocked.
void note_signals();

// Large bodies and pictures go back to the system when they are done with. Left to itself, malloc
// keeps as much as the largest of them took.
void return_large_blocks();

// Until a signal asks to end: `turn` is called a few times per second, with whether SIGHUP came.
void serve_until_signal(Server& server, const std::function<void(bool)>& turn);
// Answers what has begun; who asks twice does not want to wait.
void drain_and_end(Server& server, std::chrono::seconds most);

}  // namespace muster::server
