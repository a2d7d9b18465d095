// A whole file in memory, for files that may change while we work: one that is cut short meanwhile
// is a data error, where a mapped one would end the process.
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <vector>

namespace muster {

// An absent, unreadable or irregular file (a folder, a pipe, a device), or one of more than
// `max_bytes`, is a data error before a byte is read.
std::vector<std::byte> read_file(const std::filesystem::path& path,
                                 size_t max_bytes = std::numeric_limits<size_t>::max());

}  // namespace muster
