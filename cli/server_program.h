// The server is a program of its own, muster-serve: its libraries would double what every command
// loads.
#pragma once

#include <string>
#include <vector>

namespace muster::cli {

// Becomes the server; throws a runtime error that names `command` if it is not installed.
[[noreturn]] void become_server(const std::string& command,
                                const std::vector<std::string>& arguments);

}  // namespace muster::cli
