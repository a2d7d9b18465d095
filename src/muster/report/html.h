// Results as one self-contained page: no script, no font and no picture from elsewhere.
#pragma once

#include <string>

#include "muster/results/results.h"

namespace muster {

// Curves, ours beside the paper's, all methods with their spread and paired differences, rankings
// of multi-label data, accuracy per class, and for the best methods the confusion and most
// confident mistakes (with thumbnails if the results hold them); recipes, times, memory, data,
// protocol, machine. Every table is complete without a script; the page's own script (web/report)
// sorts, shows and hides methods and draws the curves.
std::string html_report(const Results& results);

// The items whose pictures the page shows if `thumbnails` has them, at most 200.
std::vector<std::string> pictured_items(const Results& results);

}  // namespace muster
