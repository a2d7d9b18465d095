// Checks who includes whom under src/muster. Two rules:
//   order  a folder sees only folders before it in the list in src/muster/CMakeLists.txt;
//   sees   a folder sees only what its CMakeLists.txt names after SEES, and what those see in turn
//          (a x_test.cc also what its muster_test names after LINKS, as muster::folder).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace muster::include_check {

// Every breach as "file:line: what is wrong and what to do", sorted by file; none when all is well.
// `root` is the folder that holds src/muster. A folder without a CMakeLists.txt (interfaces only)
// is held to the order alone.
std::vector<std::string> violations(const std::filesystem::path& root);

}  // namespace muster::include_check
