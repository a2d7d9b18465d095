// --profile: where the time and the memory of a command go, by its stages, which are the steps that
// it reports as progress. One command per process, so there is one profile.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace muster::cli {

// From now on stages are noted.
void start_profile();
bool profiling();
// A progress callback.
void profile_step(std::string_view step, size_t done, size_t total);

// {"seconds", "peak_memory_mib", "stages": [{"stage", "seconds", "peak_memory_mib"}, ...]}, in the
// order in which they began; "other" is what belongs to no step. With several ranks also what each
// stage sent and waited, and "ranks", a line for each: all ranks call this. Requires profiling().
nlohmann::ordered_json profile_so_far();
// The same as a table on stderr; nothing if there is no profile.
void print_profile();

}  // namespace muster::cli
