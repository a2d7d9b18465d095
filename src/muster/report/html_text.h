// Text and numbers as the report page writes them (an internal part of html.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster {

// For text and for quoted attributes; control characters and invalid UTF-8 become U+FFFD.
std::string html_escape(std::string_view text);

// With their unit; a dash for what is missing.
std::string html_percent(std::optional<double> fraction);
std::string html_seconds(std::optional<double> seconds);
std::string html_memory(std::optional<double> mib);
// A value of a record in its unit ("percent", "seconds", "ms", "").
std::string html_value(std::optional<double> value, const std::string& unit);
// A difference of fractions in points, with its sign.
std::string html_points(double difference);

// <td data-v="0.5">text</td>: data-v is what the table is sorted by.
std::string html_cell(std::optional<double> value, const std::string& text);

// The opening of a table that can be scrolled sideways by keyboard, labelled by the element
// `label`.
std::string html_table_start(const std::string& label, const char* css_class = "");
inline constexpr const char* kHtmlTableEnd = "</tbody></table></div>\n";

}  // namespace muster
