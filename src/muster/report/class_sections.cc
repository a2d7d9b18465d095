#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "muster/report/html.h"
#include "muster/report/html_text.h"
#include "muster/report/rank_curves.h"
#include "muster/report/sections.h"

namespace muster {
namespace {

using Counts = std::vector<std::vector<int>>;

// More classes than these make a matrix that nobody can read; it is drawn small instead.
constexpr size_t kMaxMatrixClasses = 40;
constexpr size_t kMaxConfusions = 30;
constexpr size_t kMaxMistakes = 24;
constexpr size_t kMaxPictures = 200;

int row_total(const Counts& counts, size_t row) {
  return std::accumulate(counts[row].begin(), counts[row].end(), 0);
}

// Classes that some item is of or is taken for: of several data sets in one record, those of this
// one.
std::vector<size_t> used_classes(const Counts& counts) {
  std::vector<size_t> used;
  for (size_t c = 0; c < counts.size(); ++c) {
    bool seen = row_total(counts, c) > 0;
    for (size_t r = 0; r < counts.size(); ++r) seen = seen || counts[r][c] > 0;
    if (seen) used.push_back(c);
  }
  return used;
}

std::string confusion_cell(int count, int total, bool hit) {
  if (count == 0) return hit ? "<td class=\"hit none\">0</td>" : "<td class=\"none\">·</td>";
  const double share = static_cast<double>(count) / total;
  return fmt::format("<td class=\"{}{}\" style=\"--share:{:.2f}\" title=\"{:.1f} %\">{}</td>",
                     hit ? "hit" : "miss", share > 0.75 ? " strong" : "", share, 100 * share,
                     count);
}

std::string confusion_matrix(const Counts& counts, const std::vector<size_t>& used,
                             const std::vector<std::string>& names, const std::string& label) {
  std::string out =
      html_table_start(label, "confusion") + "<thead><tr><th scope=\"col\">True class</th>";
  for (const size_t c : used)
    out += fmt::format("<th scope=\"col\"><span>{}</span></th>", html_escape(names[c]));
  out += "</tr></thead>\n<tbody>\n";
  for (const size_t r : used) {
    const int total = row_total(counts, r);
    out += fmt::format("<tr><th scope=\"row\">{}</th>", html_escape(names[r]));
    for (const size_t c : used) out += confusion_cell(counts[r][c], total, r == c);
    out += "</tr>\n";
  }
  return out + kHtmlTableEnd;
}

std::string small_matrix(const Counts& counts, const std::vector<size_t>& used) {
  std::string out = fmt::format(
      "<svg class=\"small-matrix\" viewBox=\"0 0 {0} {0}\" aria-hidden=\"true\" "
      "shape-rendering=\"crispEdges\"><rect class=\"ground\" width=\"{0}\" height=\"{0}\"/>",
      used.size());
  for (size_t r = 0; r < used.size(); ++r)
    for (size_t c = 0; c < used.size(); ++c) {
      const int count = counts[used[r]][used[c]];
      if (count == 0) continue;
      out += fmt::format(
          "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"1\" height=\"1\" opacity=\"{:.2f}\"/>",
          r == c ? "bar" : "wrong", c, r, static_cast<double>(count) / row_total(counts, used[r]));
    }
  return out + "</svg>\n";
}

struct Confusion {
  size_t label, predicted;
  double share;
  int count;
};

std::string frequent_confusions(const Counts& counts, const std::vector<size_t>& used,
                                const std::vector<std::string>& names, const std::string& label) {
  std::vector<Confusion> list;
  for (const size_t r : used)
    for (const size_t c : used)
      if (r != c && counts[r][c] > 0)
        list.push_back(
            {r, c, static_cast<double>(counts[r][c]) / row_total(counts, r), counts[r][c]});
  std::ranges::stable_sort(list, std::greater<>(), &Confusion::share);
  if (list.size() > kMaxConfusions) list.resize(kMaxConfusions);
  std::string out =
      html_table_start(label, "sortable") +
      "<thead><tr><th scope=\"col\">True class</th><th scope=\"col\">Taken for</th><th "
      "scope=\"col\">Share of the class</th><th scope=\"col\">Items</th></tr></thead>\n<tbody>\n";
  for (const Confusion& entry : list)
    out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td>{}{}</tr>\n",
                       html_escape(names[entry.label]), html_escape(names[entry.predicted]),
                       html_cell(entry.share, html_percent(entry.share)),
                       html_cell(entry.count, fmt::format("{}", entry.count)));
  return out + kHtmlTableEnd;
}

std::string confusion(const MethodResult& method, const std::vector<std::string>& names, bool best,
                      const std::string& id) {
  const Counts counts = confusion_counts(method, names.size());
  const std::vector<size_t> used = used_classes(counts);
  std::string out = fmt::format("<h3 id=\"confusion-{}\">Confusion</h3>\n<p class=\"dim\">", id);
  if (used.size() <= kMaxMatrixClasses)
    return out +
           "Items over all splits: a row is the true class, a column the predicted one. The shade "
           "is the share of "
           "the row.</p>\n" +
           confusion_matrix(counts, used, names, "confusion-" + id);
  out += fmt::format("The {} most frequent confusions over all splits.</p>\n", kMaxConfusions);
  return out + (best ? small_matrix(counts, used) : "") +
         frequent_confusions(counts, used, names, "confusion-" + id);
}

// Wrong predictions with a known confidence, the most confident first. An item that is wrong in
// several splits is shown once.
std::vector<const ItemPrediction*> confident_mistakes(const MethodResult& method) {
  std::vector<const ItemPrediction*> mistakes;
  for (const SplitResult& split : method.splits)
    for (const ItemPrediction& p : split.predictions)
      if (p.label != p.predicted && p.confidence) mistakes.push_back(&p);
  std::ranges::stable_sort(mistakes, std::greater<>(),
                           [](const ItemPrediction* p) { return *p->confidence; });
  std::set<std::string> shown;
  std::erase_if(mistakes, [&](const ItemPrediction* p) { return !shown.insert(p->item).second; });
  if (mistakes.size() > kMaxMistakes) mistakes.resize(kMaxMistakes);
  return mistakes;
}

std::string mistakes(const Results& results, const MethodResult& method) {
  const std::vector<const ItemPrediction*> worst = confident_mistakes(method);
  if (worst.empty()) return "";
  std::string out = "<h3>Most confident mistakes</h3>\n<div class=\"mistakes\">\n";
  for (const ItemPrediction* p : worst) {
    out += "<figure>";
    const auto picture = results.thumbnails.find(p->item);
    // Only embedded pictures: the page must not fetch anything.
    if (picture != results.thumbnails.end() && picture->second.starts_with("data:image/"))
      out += fmt::format("<img alt=\"\" loading=\"lazy\" decoding=\"async\" src=\"{}\">",
                         html_escape(picture->second));
    out += fmt::format(
        "<figcaption><strong>{}</strong> taken for <strong>{}</strong>, "
        "{}<br>{}</figcaption></figure>\n",
        html_escape(results.class_names[static_cast<size_t>(p->label)]),
        html_escape(results.class_names[static_cast<size_t>(p->predicted)]),
        html_percent(p->confidence), html_escape(p->item));
  }
  return out + "</div>\n";
}

bool has_predictions(const MethodResult& method) {
  return std::ranges::any_of(method.splits, [](const auto& s) { return !s.predictions.empty(); });
}

// The heads of one column per method, which the page can hide.
std::string method_columns(const std::vector<const MethodResult*>& methods) {
  std::string out;
  for (const MethodResult* m : methods)
    out += fmt::format("<th scope=\"col\" data-series=\"{}\">{}</th>",
                       html_escape(m->series_name()), html_escape(m->method));
  return out;
}

// The start of a table with one row per class and one column per method, up to its last columns.
std::string class_table_start(const char* id, const char* style,
                              const std::vector<const MethodResult*>& methods) {
  return html_table_start(id, style) + "<thead><tr><th scope=\"col\">Class</th>" +
         method_columns(methods);
}

std::string share_bar(double share) {
  return fmt::format(
      "<svg viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect "
      "class=\"ground\" "
      "width=\"100\" height=\"8\"/><rect class=\"bar\" width=\"{:.1f}\" height=\"8\"/></svg>",
      100 * share);
}

}  // namespace

std::vector<const MethodResult*> detailed_methods(const Results& results) {
  std::vector<const MethodResult*> methods;
  for (const MethodResult& m : results.methods) methods.push_back(&m);
  const auto value = [](const MethodResult* m) { return m->deciding_mean().value_or(-1); };
  std::ranges::stable_sort(methods, std::greater<>(), value);
  if (methods.size() > kMaxDetailed) methods.resize(kMaxDetailed);
  return methods;
}

std::vector<std::string> pictured_items(const Results& results) {
  std::vector<std::string> items;
  std::set<std::string> known;
  for (const MethodResult* m : detailed_methods(results))
    for (const ItemPrediction* p : confident_mistakes(*m))
      if (items.size() < kMaxPictures && known.insert(p->item).second) items.push_back(p->item);
  return items;
}

std::string class_section(const Results& results) {
  std::vector<const MethodResult*> methods = detailed_methods(results);
  std::erase_if(methods, [](const MethodResult* m) { return !has_predictions(*m); });
  if (methods.empty()) return "";
  std::vector<Counts> counts;
  counts.reserve(methods.size());
  for (const MethodResult* m : methods)
    counts.push_back(confusion_counts(*m, results.class_names.size()));
  // By accuracy of the best method that saw the class.
  std::vector<std::pair<double, size_t>> order;
  for (size_t c = 0; c < results.class_names.size(); ++c)
    for (const Counts& table : counts)
      if (const int total = row_total(table, c); total > 0) {
        order.emplace_back(static_cast<double>(table[c][c]) / total, c);
        break;
      }
  std::ranges::stable_sort(order);
  std::string out =
      "<section>\n<h2 id=\"classes\">Accuracy per class</h2>\n<p class=\"dim\">Hardest class of "
      "the best method "
      "first.</p>\n" +
      class_table_start("classes", "sortable bars", methods);
  out += "<th scope=\"col\">Tested</th></tr></thead>\n<tbody>\n";
  for (const auto& [unused, c] : order) {
    out += fmt::format("<tr><th scope=\"row\">{}</th>", html_escape(results.class_names[c]));
    int tested = 0;
    for (const Counts& table : counts) {
      const int total = row_total(table, c);
      tested = std::max(tested, total);
      const double share = total > 0 ? static_cast<double>(table[c][c]) / total : 0;
      out += total == 0 ? "<td>–</td>" : html_cell(share, share_bar(share) + html_percent(share));
    }
    out += html_cell(tested, fmt::format("{}", tested)) + "</tr>\n";
  }
  return out + kHtmlTableEnd + "</section>\n";
}

std::string method_sections(const Results& results) {
  std::string out;
  size_t id = 0;
  for (const MethodResult* m : detailed_methods(results)) {
    if (!has_predictions(*m)) continue;
    const bool best = m == results.best();
    out += fmt::format(
        "<details class=\"method\" data-series=\"{}\"{}><summary>{}</summary>\n{}{}</details>\n",
        html_escape(m->series_name()), best ? " open" : "", html_escape(m->method),
        confusion(*m, results.class_names, best, fmt::format("{}", id)), mistakes(results, *m));
    ++id;
  }
  if (out.empty()) return "";
  const std::string which =
      results.methods.size() > kMaxDetailed
          ? fmt::format("<p class=\"dim\">The {} best methods.</p>\n", kMaxDetailed)
          : "";
  return "<section>\n<h2>Method by method</h2>\n" + which + out + "</section>\n";
}

std::string ranking_section(const Results& results) {
  std::vector<const MethodResult*> methods;
  std::vector<std::vector<ClassCurves>> curves;
  for (const MethodResult* m : detailed_methods(results)) {
    std::vector<ClassCurves> of_method = rank_curves(*m, results.class_names.size());
    if (of_method.empty()) continue;
    methods.push_back(m);
    curves.push_back(std::move(of_method));
  }
  if (methods.empty()) return "";
  std::string out =
      "<section>\n<h2 id=\"ranking\">ROC and precision-recall</h2>\n<div "
      "id=\"rank-charts\"></div>\n"
      "<p class=\"dim\">Average precision and, in brackets, the area under the ROC curve; means "
      "over splits.</p>\n" +
      class_table_start("ranking", "sortable", methods);
  out += "</tr></thead>\n<tbody>\n";
  for (size_t c = 0; c < results.class_names.size(); ++c) {
    out += fmt::format("<tr><th scope=\"row\">{}</th>", html_escape(results.class_names[c]));
    for (const auto& of_method : curves)
      out +=
          of_method[c].num_splits == 0
              ? "<td>–</td>"
              : html_cell(of_method[c].average_precision,
                          fmt::format("{} ({:.3f})", html_percent(of_method[c].average_precision),
                                      of_method[c].auc));
    out += "</tr>\n";
  }
  return out + kHtmlTableEnd + "</section>\n";
}

std::string label_section(const Results& results) {
  const MethodResult* best = results.best();
  if (!best || best->labels.empty()) return "";
  std::string out =
      fmt::format("<section>\n<h2 id=\"labels\">Labels of {}</h2>\n", html_escape(best->method)) +
      html_table_start("labels", "sortable") +
      "<thead><tr><th scope=\"col\">Label</th><th scope=\"col\">AUC</th><th scope=\"col\">AP</th>"
      "<th scope=\"col\">11-point AP</th></tr></thead>\n<tbody>\n";
  for (const LabelResult& label : best->labels)
    out += fmt::format("<tr><th scope=\"row\">{}</th>{}{}{}</tr>\n", html_escape(label.label),
                       html_cell(label.auc, label.auc ? fmt::format("{:.3f}", *label.auc) : "–"),
                       html_cell(label.average_precision, html_percent(label.average_precision)),
                       html_cell(label.average_precision_11_point,
                                 html_percent(label.average_precision_11_point)));
  return out + kHtmlTableEnd + "</section>\n";
}

std::string curve_sections(const Results& results) {
  if (results.curves.empty()) return "";
  std::string out = "<section>\n<h2>Curves</h2>\n<div class=\"charts\">\n";
  for (size_t k = 0; k < results.curves.size(); ++k) {
    const Curve& curve = results.curves[k];
    out += fmt::format(
        "<figure class=\"chart\" data-chart=\"{0}\"><figcaption id=\"chart-{0}\">{1}</figcaption>\n"
        "<details open><summary>Values</summary>{2}<thead><tr><th scope=\"col\">Method</th><th "
        "scope=\"col\">{3}</th><th scope=\"col\">{4}</th><th scope=\"col\">95 % "
        "interval</th></tr></thead>\n<tbody>\n",
        k, html_escape(curve.title), html_table_start(fmt::format("chart-{}", k), "sortable"),
        html_escape(curve.x_label), html_escape(curve.y_label));
    for (const CurveSeries& series : curve.series)
      for (const CurvePoint& point : series.points)
        out += fmt::format(
            "<tr data-series=\"{}\"><th scope=\"row\">{}{}</th>{}{}<td>{}</td></tr>\n",
            html_escape(series.name), html_escape(series.name), series.paper ? " (paper)" : "",
            html_cell(point.x, fmt::format("{:.4g}", point.x)),
            html_cell(point.y, html_value(point.y, curve.unit)),
            point.low
                ? html_value(point.low, curve.unit) + " to " + html_value(point.high, curve.unit)
                : "–");
    out += std::string(kHtmlTableEnd) + "</details></figure>\n";
  }
  return out + "</div>\n</section>\n";
}

}  // namespace muster
