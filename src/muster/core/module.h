// Parts of muster that rest on large libraries are modules, loaded only by those who need them.
#pragma once

#include <filesystem>

namespace muster {

// Where a module is: the file that the environment variable names, else beside the program, else in
// the folder lib/muster of the installation. Empty if there is none.
std::filesystem::path find_module(const char* file, const char* variable);

// The value of a function of a module without arguments, which is loaded for good. Null if it has
// no such function; a runtime failure in the name of `what` if it cannot be loaded. With
// `for_others`, what the module links is open to libraries that are loaded later.
const void* call_module(const std::filesystem::path& file, const char* function, const char* what,
                        bool for_others = false);

}  // namespace muster
