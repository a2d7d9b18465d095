// The page's style sheet and script, compiled in from web/report (an internal part of html.h).
#pragma once

#include <string_view>

namespace muster {

extern const std::string_view kReportStyle;   // web/report/src/report.css
extern const std::string_view kReportScript;  // web/report/dist/report.js

}  // namespace muster
