// Results as one self-contained page: no script, no font and no picture from elsewhere.
#pragma once

#include <string>
#include <string_view>

#include "muster/report/results.h"

namespace muster {

// Summary of all methods; for the best one the confusion matrix, accuracy per class and most
// confident mistakes (with thumbnails where the results hold them); recipes, times, data, protocol,
// machine.
std::string html_report(const Results& results);

// For text and for quoted attributes; control characters and invalid UTF-8 become U+FFFD.
std::string html_escape(std::string_view text);

}  // namespace muster
