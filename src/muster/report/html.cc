#include "muster/report/html.h"

#include <fmt/format.h>

#include "muster/report/assets.h"
#include "muster/report/html_text.h"
#include "muster/report/page_data.h"
#include "muster/report/sections.h"

namespace muster {
namespace {

// The browser itself holds the page to what it promises: nothing is fetched.
constexpr const char* kPolicy =
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

}  // namespace

std::string html_report(const Results& results) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n",
      kPolicy, html_escape(results.title.empty() ? "muster report" : results.title), kReportStyle);
  out += headline(results) + "<main>\n<div id=\"toolbar\"></div>\n" + curve_sections(results) +
         comparison_section(results) + summary_section(results) + paired_section(results) +
         ranking_section(results) + label_section(results) + branch_share_section(results) +
         weight_map_section(results) + picture_section(results) + class_section(results) +
         method_sections(results) + recipe_section(results) + time_section(results) +
         fact_sections(results) + "</main>\n";
  out += fmt::format(
      "<script type=\"application/json\" id=\"report-data\">{}</script>\n<script>{}</script>\n",
      page_data(results), kReportScript);
  return out + "</body>\n</html>\n";
}

}  // namespace muster
