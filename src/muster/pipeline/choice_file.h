// A Choice as text, for model files. Times are left out: files must not depend on the clock.
#pragma once

#include <string>

#include "muster/pipeline/choice.h"

namespace muster {

inline constexpr const char* kEffortNames[] = {"quick", "normal", "thorough"};

std::string choice_text(const Choice& choice);
// Text that is not a choice is a data error that names `path`.
Choice parse_choice(const std::string& text, const std::string& path);

}  // namespace muster
