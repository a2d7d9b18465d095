#include "muster/report/html_text.h"

#include <fmt/format.h>

#include <cmath>

#include "muster/report/tables.h"

namespace muster {
namespace {

std::string with_unit(const std::string& number, const char* unit) {
  return number == "-" ? "–" : number + unit;
}

}  // namespace

std::string html_escape(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string html_percent(std::optional<double> fraction) {
  return with_unit(percent_text(fraction), " %");
}

std::string html_seconds(std::optional<double> seconds) {
  return with_unit(seconds_text(seconds), " s");
}

std::string html_memory(std::optional<double> mib) {
  return mib ? fmt::format("{:.0f} MiB", *mib) : "–";
}

std::string html_value(std::optional<double> value, const std::string& unit) {
  if (unit == "percent") return html_percent(value);
  if (unit == "seconds") return html_seconds(value);
  if (!value) return "–";
  if (unit == "ms") return seconds_text(value) + " ms";
  return fmt::format("{:.4g}", *value) + (unit.empty() ? "" : " " + html_escape(unit));
}

std::string html_points(double difference) {
  const double points = std::round(1000 * difference) / 10;
  if (points == 0) return "0.0";
  return fmt::format("{}{:.1f}", points > 0 ? "+" : "−", std::abs(points));
}

std::string html_cell(std::optional<double> value, const std::string& text) {
  if (!value) return "<td>" + text + "</td>";
  return fmt::format("<td data-v=\"{:.6g}\">{}</td>", *value, text);
}

std::string html_table_start(const std::string& label, const char* css_class) {
  return fmt::format(
      "<div class=\"scroll\" role=\"region\" aria-labelledby=\"{0}\" tabindex=\"0\"><table "
      "class=\"{1}\" aria-labelledby=\"{0}\">\n",
      label, css_class);
}

}  // namespace muster
