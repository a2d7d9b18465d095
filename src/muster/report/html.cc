#include "muster/report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "muster/report/style.h"
#include "muster/report/tables.h"

namespace muster {
namespace {

constexpr size_t kMaxMistakes = 24;

std::string unit(const std::string& number, const char* unit) {
  return number == "-" ? "–" : number + unit;
}
std::string percent(std::optional<double> fraction) { return unit(percent_text(fraction), " %"); }
std::string seconds(std::optional<double> value) { return unit(seconds_text(value), " s"); }

std::string mean_and_spread(const MethodResult& m) {
  if (!m.accuracy_mean || !m.accuracy_std) return percent(m.accuracy_mean);
  return percent_text(m.accuracy_mean) + " ± " + percent(m.accuracy_std);
}

std::string fact(const Facts& facts, const std::string& name) {
  const auto it = std::ranges::find(facts, name, [](const auto& entry) { return entry.first; });
  return it == facts.end() ? "" : it->second;
}

std::string headline(const Results& results) {
  const std::string data = fact(results.data, "path");
  std::string out = fmt::format(
      "<header>\n<h1>muster report</h1>\n<p class=\"dim\">{}{}{}</p>\n", html_escape(data),
      results.version.empty()
          ? ""
          : (data.empty() ? "version " : " · version ") + html_escape(results.version),
      results.seed.empty() ? "" : " · seed " + html_escape(results.seed));
  if (const MethodResult* best = results.best()) {
    const bool multi_label = !best->accuracy_mean && best->map_mean;
    out += fmt::format("<p class=\"headline\">Best of {}: <strong>{}</strong>, {} {}.</p>\n",
                       results.methods.size(), html_escape(best->method),
                       multi_label ? "mean AP" : "accuracy",
                       multi_label ? percent(best->map_mean) : mean_and_spread(*best));
  }
  return out + "</header>\n";
}

std::string summary(const Results& results) {
  const bool multi_label = std::ranges::any_of(
      results.methods, [](const MethodResult& m) { return m.map_mean || m.auc_mean; });
  std::string out =
      "<section>\n<h2 id=\"methods\">Methods</h2>\n"
      "<p class=\"dim\">Mean ± standard deviation over splits. ★ marks the best.</p>\n"
      "<div class=\"scroll\" tabindex=\"0\"><table aria-labelledby=\"methods\">\n"
      "<thead><tr><th scope=\"col\">Method</th><th scope=\"col\">Accuracy</th>"
      "<th scope=\"col\">Mean class accuracy</th>";
  if (multi_label) out += "<th scope=\"col\">AUC</th><th scope=\"col\">Mean AP</th>";
  out +=
      "<th scope=\"col\">Splits</th><th scope=\"col\">Training</th><th scope=\"col\">Testing</th>"
      "</tr></thead>\n<tbody>\n";
  for (const MethodResult& m : results.methods) {
    out += fmt::format("<tr{}><th scope=\"row\">{}</th><td>{}</td><td>{}</td>",
                       &m == results.best() ? " class=\"best\"" : "", html_escape(m.method),
                       mean_and_spread(m), percent(m.mean_class_accuracy_mean));
    if (multi_label)
      out +=
          fmt::format("<td>{}</td><td>{}</td>",
                      m.auc_mean ? fmt::format("{:.3f}", *m.auc_mean) : "–", percent(m.map_mean));
    out += fmt::format("<td>{}</td><td>{}</td><td>{}</td></tr>\n", m.splits.size(),
                       seconds(m.seconds_of("train")), seconds(m.seconds_of("test")));
  }
  return out + "</tbody></table></div>\n</section>\n";
}

std::string labels(const MethodResult& method) {
  std::string out = fmt::format(
      "<section>\n<h2 id=\"labels\">Labels of {}</h2>\n"
      "<div class=\"scroll\" tabindex=\"0\"><table aria-labelledby=\"labels\">\n"
      "<thead><tr><th scope=\"col\">Label</th><th scope=\"col\">AUC</th><th scope=\"col\">AP</th>"
      "<th scope=\"col\">11-point AP</th></tr></thead>\n<tbody>\n",
      html_escape(method.method));
  for (const LabelResult& label : method.labels)
    out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                       html_escape(label.label), label.auc ? fmt::format("{:.3f}", *label.auc) : "–",
                       percent(label.average_precision), percent(label.average_precision_11_point));
  return out + "</tbody></table></div>\n</section>\n";
}

std::string confusion_cell(int count, int total, bool hit) {
  if (count == 0) return hit ? "<td class=\"hit none\">0</td>" : "<td class=\"none\">·</td>";
  const double share = static_cast<double>(count) / total;
  return fmt::format("<td class=\"{}{}\" style=\"--share:{:.2f}\" title=\"{:.1f} %\">{}</td>",
                     hit ? "hit" : "miss", share > 0.75 ? " strong" : "", share, 100 * share,
                     count);
}

std::string confusion(const MethodResult& method, const std::vector<std::string>& names) {
  const auto counts = confusion_counts(method, names.size());
  std::string out = fmt::format(
      "<section>\n<h2 id=\"confusion\">Confusion of {}</h2>\n"
      "<p class=\"dim\">Items over all splits: a row is the true class, a column the predicted "
      "one. "
      "The shade is the share of the row.</p>\n"
      "<div class=\"scroll\" tabindex=\"0\"><table class=\"confusion\" "
      "aria-labelledby=\"confusion\">\n<thead><tr><th scope=\"col\">True class</th>",
      html_escape(method.method));
  for (const std::string& name : names)
    out += fmt::format("<th scope=\"col\"><span>{}</span></th>", html_escape(name));
  out += "</tr></thead>\n<tbody>\n";
  for (size_t r = 0; r < names.size(); ++r) {
    const int total = std::accumulate(counts[r].begin(), counts[r].end(), 0);
    out += fmt::format("<tr><th scope=\"row\">{}</th>", html_escape(names[r]));
    for (size_t c = 0; c < names.size(); ++c) out += confusion_cell(counts[r][c], total, r == c);
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n</section>\n";
}

std::string class_bars(const MethodResult& method, const std::vector<std::string>& names) {
  const auto counts = confusion_counts(method, names.size());
  struct Bar {
    size_t index;
    double share;
  };
  std::vector<Bar> bars;
  for (size_t i = 0; i < names.size(); ++i) {
    const int total = std::accumulate(counts[i].begin(), counts[i].end(), 0);
    if (total > 0) bars.push_back({i, static_cast<double>(counts[i][i]) / total});
  }
  std::ranges::stable_sort(bars, {}, &Bar::share);
  std::string out = fmt::format(
      "<section>\n<h2 id=\"classes\">Accuracy per class of {}</h2>\n"
      "<p class=\"dim\">Hardest class first.</p>\n"
      "<table class=\"bars\" aria-labelledby=\"classes\">\n<thead hidden><tr><th "
      "scope=\"col\">Class</th>"
      "<th scope=\"col\">Bar</th><th scope=\"col\">Accuracy</th></tr></thead>\n<tbody>\n",
      html_escape(method.method));
  for (const Bar& bar : bars)
    out += fmt::format(
        "<tr><th scope=\"row\">{}</th><td><svg viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" "
        "aria-hidden=\"true\"><rect class=\"ground\" width=\"100\" height=\"8\"/>"
        "<rect class=\"bar\" width=\"{:.1f}\" height=\"8\"/></svg></td>"
        "<td class=\"value\">{}</td></tr>\n",
        html_escape(names[bar.index]), 100 * bar.share, percent(bar.share));
  return out + "</tbody></table>\n</section>\n";
}

// Wrong predictions with a known confidence, the most confident first. An item that is wrong in
// several splits is shown once.
std::vector<const Prediction*> confident_mistakes(const MethodResult& method) {
  std::vector<const Prediction*> mistakes;
  for (const SplitResult& split : method.splits)
    for (const Prediction& p : split.predictions)
      if (p.label != p.predicted && p.confidence) mistakes.push_back(&p);
  std::ranges::stable_sort(mistakes, std::greater<>(),
                           [](const Prediction* p) { return *p->confidence; });
  std::set<std::string> shown;
  std::erase_if(mistakes, [&](const Prediction* p) { return !shown.insert(p->item).second; });
  if (mistakes.size() > kMaxMistakes) mistakes.resize(kMaxMistakes);
  return mistakes;
}

std::string mistakes(const Results& results, const MethodResult& method) {
  const std::vector<const Prediction*> worst = confident_mistakes(method);
  if (worst.empty()) return "";
  std::string out = "<section>\n<h2>Most confident mistakes</h2>\n<div class=\"mistakes\">\n";
  for (const Prediction* p : worst) {
    out += "<figure>";
    const auto picture = results.thumbnails.find(p->item);
    // Only embedded pictures: the page must not fetch anything.
    if (picture != results.thumbnails.end() && picture->second.starts_with("data:image/"))
      out +=
          fmt::format("<img alt=\"\" loading=\"lazy\" src=\"{}\">", html_escape(picture->second));
    out += fmt::format(
        "<figcaption><strong>{}</strong> taken for <strong>{}</strong>, "
        "{}<br>{}</figcaption></figure>\n",
        html_escape(results.class_names[static_cast<size_t>(p->label)]),
        html_escape(results.class_names[static_cast<size_t>(p->predicted)]), percent(p->confidence),
        html_escape(p->item));
  }
  return out + "</div>\n</section>\n";
}

std::string recipes(const Results& results) {
  std::string out = "<section>\n<h2>Recipes</h2>\n<dl>\n";
  for (const MethodResult& m : results.methods) {
    std::string seeds;
    for (const SplitResult& split : m.splits)
      if (!split.seed.empty()) seeds += (seeds.empty() ? "" : ", ") + split.seed;
    out += fmt::format(
        "<dt>{}</dt><dd><code>{}</code>{}</dd>\n", html_escape(m.method), html_escape(m.recipe),
        seeds.empty() ? ""
                      : "<br><span class=\"dim\">split seeds: " + html_escape(seeds) + "</span>");
  }
  return out + "</dl>\n</section>\n";
}

std::string times(const Results& results) {
  std::vector<std::string> stages;
  for (const MethodResult& m : results.methods)
    for (const auto& [stage, unused] : m.seconds)
      if (std::ranges::find(stages, stage) == stages.end()) stages.push_back(stage);
  if (stages.empty()) return "";
  std::string out =
      "<section>\n<h2>Times</h2>\n<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr><th "
      "scope=\"col\">Stage</th>";
  for (const MethodResult& m : results.methods)
    out += fmt::format("<th scope=\"col\">{}</th>", html_escape(m.method));
  out += "</tr></thead>\n<tbody>\n";
  for (const std::string& stage : stages) {
    out += fmt::format("<tr><th scope=\"row\">{}</th>", html_escape(stage));
    for (const MethodResult& m : results.methods)
      out += fmt::format("<td>{}</td>", seconds(m.seconds_of(stage)));
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n</section>\n";
}

std::string fact_list(const char* title, const Facts& facts) {
  if (facts.empty()) return "";
  std::string out = fmt::format("<section>\n<h2>{}</h2>\n<dl>\n", title);
  for (const auto& [name, value] : facts)
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", html_escape(name), html_escape(value));
  return out + "</dl>\n</section>\n";
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

std::string html_report(const Results& results) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>muster report</title>\n<style>{}</style>\n</head>\n<body>\n",
      kReportStyle);
  out += headline(results) + "<main>\n" + summary(results);
  const MethodResult* best = results.best();
  if (best &&
      std::ranges::any_of(best->splits, [](const auto& s) { return !s.predictions.empty(); }))
    out += confusion(*best, results.class_names) + class_bars(*best, results.class_names) +
           mistakes(results, *best);
  if (best && !best->labels.empty()) out += labels(*best);
  out += recipes(results) + times(results);
  out += "<div class=\"facts\">\n" + fact_list("Data", results.data) +
         fact_list("Protocol", results.protocol) + fact_list("Machine", results.machine) +
         "</div>\n";
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace muster
