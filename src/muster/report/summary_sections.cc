#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "muster/evaluate/statistics.h"
#include "muster/report/html_text.h"
#include "muster/report/sections.h"
#include "muster/report/tables.h"

namespace muster {
namespace {

// More methods than these are compared with the best only.
constexpr size_t kMaxMatrix = 8;

std::string mean_and_spread(std::optional<double> mean, std::optional<double> deviation) {
  if (!mean || !deviation) return html_percent(mean);
  return percent_text(mean) + " ± " + html_percent(deviation);
}

std::string mean_and_spread(const std::optional<MeasureSummary>& measure) {
  return mean_and_spread(mean_of(measure), deviation_of(measure));
}

std::string row_start(const MethodResult& method, bool best) {
  return fmt::format("<tr data-series=\"{}\"{}><th scope=\"row\">{}</th>",
                     html_escape(method.series_name()), best ? " class=\"best\"" : "",
                     html_escape(method.method));
}

// The mean as a dot, its interval as a line, on a scale that all rows share.
std::string interval_picture(const Spread& spread, double low, double high) {
  const auto at = [&](double value) { return 2 + 96 * (value - low) / (high - low); };
  return fmt::format(
      "<td class=\"interval\"><svg viewBox=\"0 0 100 12\" aria-hidden=\"true\">"
      "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"6\" y2=\"6\"/><circle cx=\"{:.1f}\" cy=\"6\" "
      "r=\"3\"/></svg></td>",
      at(spread.low), at(spread.high), at(spread.mean));
}

std::string interval_text(const Spread& spread, size_t num_values) {
  if (num_values < 2) return "–";
  return fmt::format("{:.1f} to {:.1f} %", 100 * spread.low, 100 * spread.high);
}

struct Scale {
  double low = 1, high = 0;
};

Scale common_scale(const Results& results) {
  Scale scale;
  for (const MethodResult& method : results.methods) {
    const std::vector<double> values = method.deciding_values();
    if (values.empty()) continue;
    const Spread spread = spread_of(values);
    scale.low = std::min(scale.low, spread.low);
    scale.high = std::max(scale.high, spread.high);
  }
  if (scale.high - scale.low < 0.01) scale = {scale.low - 0.005, scale.high + 0.005};
  return scale;
}

std::string verdict(const Spread& difference, size_t num_values) {
  if (num_values < 2) return "one split: cannot tell";
  if (difference.low > 0) return "better";
  if (difference.high < 0) return "worse";
  return "no clear difference";
}

// Both on the same splits?
bool comparable(const MethodResult& a, const MethodResult& b) {
  if (a.group != b.group || a.splits.size() != b.splits.size() || a.splits.empty()) return false;
  for (size_t s = 0; s < a.splits.size(); ++s)
    if (a.splits[s].seed != b.splits[s].seed) return false;
  return a.deciding_values().size() == a.splits.size() &&
         b.deciding_values().size() == b.splits.size();
}

Spread difference_of(const MethodResult& a, const MethodResult& b) {
  return paired_difference(a.deciding_values(), b.deciding_values());
}

std::string matrix_cell(const MethodResult& row, const MethodResult& column) {
  if (&row == &column) return "<td class=\"none\">·</td>";
  if (!comparable(row, column)) return "<td>–</td>";
  const Spread d = difference_of(row, column);
  const bool clear = row.splits.size() > 1 && (d.low > 0 || d.high < 0);
  const std::string interval =
      row.splits.size() > 1
          ? fmt::format("<br><small>{} to {}</small>", html_points(d.low), html_points(d.high))
          : "";
  return fmt::format("<td data-v=\"{:.6g}\" class=\"{}\">{}{}</td>", d.mean,
                     !clear       ? ""
                     : d.mean > 0 ? "better"
                                  : "worse",
                     html_points(d.mean), interval);
}

std::string paired_matrix(const Results& results) {
  std::string out =
      html_table_start("paired", "matrix") + "<thead><tr><th scope=\"col\">Method</th>";
  for (const MethodResult& m : results.methods)
    out += fmt::format("<th scope=\"col\" data-series=\"{}\">{}</th>", html_escape(m.series_name()),
                       html_escape("− " + m.method));
  out += "</tr></thead>\n<tbody>\n";
  for (const MethodResult& row : results.methods) {
    out += row_start(row, false);
    for (const MethodResult& column : results.methods) out += matrix_cell(row, column);
    out += "</tr>\n";
  }
  return out + kHtmlTableEnd;
}

const MethodResult* best_of_group(const Results& results, const std::string& group) {
  const MethodResult* best = nullptr;
  double best_value = -1;
  for (const MethodResult& m : results.methods) {
    const double value = m.deciding_mean().value_or(-1);
    if (m.group == group && value > best_value) {
      best = &m;
      best_value = value;
    }
  }
  return best;
}

std::string paired_with_best(const Results& results) {
  std::string out = html_table_start("paired", "sortable") +
                    "<thead><tr><th scope=\"col\">Method</th><th scope=\"col\">Against</th><th "
                    "scope=\"col\">Difference</th><th scope=\"col\">95 % interval</th><th "
                    "scope=\"col\">So it is</th></tr></thead>\n<tbody>\n";
  for (const MethodResult& m : results.methods) {
    const MethodResult* best = best_of_group(results, m.group);
    if (!best || best == &m || !comparable(m, *best)) continue;
    const Spread d = difference_of(m, *best);
    out +=
        row_start(m, false) + fmt::format("<td>{}</td>", html_escape(best->method)) +
        html_cell(d.mean, html_points(d.mean)) +
        fmt::format("<td>{}</td><td>{}</td></tr>\n",
                    m.splits.size() > 1 ? html_points(d.low) + " to " + html_points(d.high) : "–",
                    verdict(d, m.splits.size()));
  }
  return out + kHtmlTableEnd;
}

std::string comparison_row(const ComparisonRow& row, bool notes) {
  const auto with_spread = [&](std::optional<double> mean, std::optional<double> deviation) {
    return row.unit == "percent" ? mean_and_spread(mean, deviation) : html_value(mean, row.unit);
  };
  std::optional<double> difference;
  if (row.ours && row.paper) difference = *row.ours - *row.paper;
  const std::string difference_text = !difference             ? "–"
                                      : row.unit == "percent" ? html_points(*difference)
                                                              : fmt::format("{:+.3g}", *difference);
  return fmt::format(
      "<tr class=\"{}\"><th scope=\"row\">{}</th>{}{}{}<td class=\"verdict\">{}</td>{}</tr>\n",
      row.verdict == "reached"           ? "reached"
      : row.verdict.starts_with("short") ? "short"
                                         : "open",
      html_escape(row.name), html_cell(row.paper, with_spread(row.paper, row.paper_std)),
      html_cell(row.ours, with_spread(row.ours, row.ours_std)),
      html_cell(difference, difference_text), html_escape(row.verdict),
      notes ? "<td class=\"wrap\">" + html_escape(row.note) + "</td>" : "");
}

}  // namespace

std::string headline(const Results& results) {
  const std::string data = results.data ? results.data->path : "";
  const std::string title = results.title.empty() ? "muster report" : results.title;
  std::string out = fmt::format(
      "<header>\n<h1>{}</h1>\n<p class=\"dim\">{}{}{}</p>\n", html_escape(title), html_escape(data),
      results.version.empty()
          ? ""
          : (data.empty() ? "version " : " · version ") + html_escape(results.version),
      results.seed ? fmt::format(" · seed {}", *results.seed) : "");
  if (const MethodResult* best = results.best()) {
    const bool multi_label = !best->measures.accuracy && best->measures.map;
    out += fmt::format("<p class=\"headline\">Best of {}: <strong>{}</strong>, {} {}.</p>\n",
                       results.methods.size(), html_escape(best->method),
                       multi_label ? "mean AP" : "accuracy",
                       multi_label ? html_percent(mean_of(best->measures.map))
                                   : mean_and_spread(best->measures.accuracy));
  }
  for (const std::string& note : results.notes)
    out += fmt::format("<p class=\"note\">{}</p>\n", html_escape(note));
  return out + "</header>\n";
}

std::string comparison_section(const Results& results) {
  if (results.comparison.empty()) return "";
  const auto reached = std::ranges::count(results.comparison, "reached", &ComparisonRow::verdict);
  const auto judged =
      reached + std::ranges::count_if(results.comparison, [](const ComparisonRow& row) {
        return row.verdict.starts_with("short");
      });
  const bool notes = std::ranges::any_of(
      results.comparison, [](const ComparisonRow& row) { return !row.note.empty(); });
  std::string out = fmt::format(
      "<section>\n<h2 id=\"comparison\">Ours beside the paper’s</h2>\n"
      "{}{}"
      "<thead><tr><th scope=\"col\">Row</th><th scope=\"col\">Paper</th><th "
      "scope=\"col\">Ours</th><th scope=\"col\">Difference</th><th scope=\"col\">Verdict</th>"
      "{}</tr></thead>\n<tbody>\n",
      judged > 0 ? fmt::format("<p>{} of {} rows reached.</p>\n", reached, judged) : "",
      html_table_start("comparison", "sortable comparison"),
      notes ? "<th scope=\"col\">Note</th>" : "");
  for (const ComparisonRow& row : results.comparison) out += comparison_row(row, notes);
  return out + kHtmlTableEnd + "</section>\n";
}

std::string summary_section(const Results& results) {
  if (results.methods.empty()) return "";
  const bool multi_label = results.multi_label();
  const Scale scale = common_scale(results);
  std::string out = fmt::format(
      "<section>\n<h2 id=\"methods\">Methods</h2>\n<p class=\"dim\">Mean ± standard deviation over "
      "splits, and the 95 % interval of the mean (Student’s t over splits). ★ marks the "
      "best.</p>\n{}<thead><tr><th scope=\"col\">Method</th><th scope=\"col\">{}</th><th "
      "scope=\"col\">95 % interval</th><th scope=\"col\" class=\"no-sort\"><span "
      "class=\"hidden\">Interval, drawn</span></th><th scope=\"col\">{}</th><th "
      "scope=\"col\">Splits</th><th scope=\"col\">Training</th><th scope=\"col\">Testing</th><th "
      "scope=\"col\">Memory</th></tr></thead>\n<tbody>\n",
      html_table_start("methods", "sortable"), multi_label ? "Mean AP" : "Accuracy",
      multi_label ? "AUC" : "Mean class accuracy");
  for (const MethodResult& m : results.methods) {
    const std::vector<double> values = m.deciding_values();
    const Spread spread = spread_of(values);
    const bool one_label = m.measures.accuracy.has_value() || !multi_label;
    out += row_start(m, &m == results.best());
    if (one_label)
      out += html_cell(mean_of(m.measures.accuracy), mean_and_spread(m.measures.accuracy));
    else
      out +=
          html_cell(mean_of(m.measures.map),
                    values.size() > 1 ? mean_and_spread(mean_of(m.measures.map), spread.deviation)
                                      : html_percent(mean_of(m.measures.map)));
    out += html_cell(values.size() > 1 ? std::optional(spread.low) : std::nullopt,
                     interval_text(spread, values.size()));
    out += values.empty() ? "<td></td>" : interval_picture(spread, scale.low, scale.high);
    out += one_label
               ? html_cell(mean_of(m.measures.mean_class_accuracy),
                           html_percent(mean_of(m.measures.mean_class_accuracy)))
               : html_cell(mean_of(m.measures.auc),
                           m.measures.auc ? fmt::format("{:.3f}", m.measures.auc->mean) : "–");
    out += html_cell(static_cast<double>(m.splits.size()), fmt::format("{}", m.splits.size())) +
           html_cell(seconds_of(m.seconds, "train"), html_seconds(seconds_of(m.seconds, "train"))) +
           html_cell(seconds_of(m.seconds, "test"), html_seconds(seconds_of(m.seconds, "test"))) +
           html_cell(m.peak_memory_mib, html_memory(m.peak_memory_mib)) + "</tr>\n";
  }
  return out + kHtmlTableEnd + "</section>\n";
}

std::string paired_section(const Results& results) {
  size_t pairs = 0;
  for (const MethodResult& a : results.methods)
    for (const MethodResult& b : results.methods) pairs += &a < &b && comparable(a, b);
  if (pairs == 0) return "";
  const bool one_group = std::ranges::all_of(
      results.methods, [&](const MethodResult& m) { return m.group == results.methods[0].group; });
  const bool matrix = one_group && results.methods.size() <= kMaxMatrix;
  return fmt::format(
             "<section>\n<h2 id=\"paired\">Paired differences</h2>\n<p class=\"dim\">{} in points, "
             "on the same splits, with the 95 % interval{}.</p>\n",
             matrix ? "Row minus column" : "Each method minus the best",
             matrix ? "; coloured where it leaves out 0" : "") +
         (matrix ? paired_matrix(results) : paired_with_best(results)) + "</section>\n";
}

}  // namespace muster
