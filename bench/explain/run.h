#pragma once

#include <string>
#include <vector>

namespace muster::bench {

// What a program does with its arguments; the exit code.
int run(const std::vector<std::string>& arguments);

}  // namespace muster::bench
