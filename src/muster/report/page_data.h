// What the script of the page draws: curves and rankings, as JSON (an internal part of html.h).
#pragma once

#include <string>

#include "muster/results/results.h"

namespace muster {

//   {"curves": [{"x": label, "log": bool, "y": label, "unit": ...,
//                "series": [{"name": ..., "paper": bool, "points": [[x, y, low, high], ...]},
//                ...]}, ...],
//    "rankings": {"classes": [...], "methods": [{"name": ..., "series": ..., "roc": [[...]
//    per class], "pr": [...]}]}}
// Safe inside a <script> element: no '<' in it.
std::string page_data(const Results& results);

}  // namespace muster
