#include <fmt/format.h>

#include <algorithm>

#include "muster/report/html_text.h"
#include "muster/report/kernel_weights.h"
#include "muster/report/sections.h"

namespace muster {
namespace {

// Only embedded pictures: the page must not fetch anything.
bool embedded(const std::string& source) { return source.starts_with("data:image/"); }

std::string level_picture(const std::vector<double>& weights, double largest) {
  size_t side = 1;
  while (side * side < weights.size()) ++side;
  std::string out = fmt::format(
      "<svg class=\"weights\" viewBox=\"0 0 {0} {0}\" aria-hidden=\"true\" "
      "shape-rendering=\"crispEdges\"><rect class=\"ground\" width=\"{0}\" height=\"{0}\"/>",
      side);
  for (size_t i = 0; i < weights.size(); ++i)
    out += fmt::format(
        "<rect class=\"bar\" x=\"{}\" y=\"{}\" width=\"1\" height=\"1\" opacity=\"{:.3f}\">"
        "<title>{:.4f}</title></rect>",
        i % side, i / side, largest > 0 ? std::max(weights[i], 0.0) / largest : 0, weights[i]);
  return out + "</svg>";
}

std::vector<std::string> stage_names(const Results& results) {
  std::vector<std::string> stages;
  for (const MethodResult& m : results.methods)
    for (const auto& [stage, unused] : m.seconds)
      if (std::ranges::find(stages, stage) == stages.end()) stages.push_back(stage);
  return stages;
}

// The stages of training and the test as one bar; "train" is the sum of others.
std::string time_bar(const MethodResult& m, const std::vector<std::string>& stages,
                     double longest) {
  std::string out =
      "<td class=\"interval\"><svg viewBox=\"0 0 100 12\" preserveAspectRatio=\"none\" "
      "aria-hidden=\"true\">";
  double from = 0;
  for (size_t s = 0; s < stages.size(); ++s) {
    const double width =
        longest > 0 ? 100 * seconds_of(m.seconds, stages[s]).value_or(0) / longest : 0;
    if (stages[s] == "train" || width <= 0) continue;
    out += fmt::format("<rect class=\"stage{}\" x=\"{:.2f}\" width=\"{:.2f}\" height=\"12\"/>",
                       s % 6, from, width);
    from += width;
  }
  return out + "</svg></td>";
}

double total_seconds(const MethodResult& m) {
  double total = 0;
  for (const auto& [stage, value] : m.seconds)
    if (stage != "train") total += value;
  return total;
}

std::string fact_list(const char* title, const Facts& facts) {
  if (facts.empty()) return "";
  std::string out = fmt::format("<section>\n<h2>{}</h2>\n<dl>\n", title);
  for (const auto& [name, value] : facts)
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", html_escape(name), html_escape(value));
  return out + "</dl>\n</section>\n";
}

}  // namespace

std::string branch_share_section(const Results& results) {
  const std::vector<BranchShareRow> rows = branch_shares(results);
  if (rows.empty()) return "";
  std::string out =
      "<section>\n<h2 id=\"shares\">Shares of branches</h2>\n<p class=\"dim\">How much each branch "
      "counts in the kernel that the classifier sees, by its mean diagonal; means over "
      "splits.</p>\n";
  out += html_table_start("shares");
  out +=
      "<thead><tr><th scope=\"col\">Method</th><th scope=\"col\">Branch</th><th "
      "scope=\"col\">Share</th></tr></thead><tbody>\n";
  for (const BranchShareRow& row : rows)
    out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td>{}</tr>\n", html_escape(row.method),
                       html_escape(row.branch), html_cell(row.share, html_percent(row.share)));
  return out + kHtmlTableEnd + "</section>\n";
}

std::string weight_map_section(const Results& results) {
  const std::vector<WeightMap> maps = weight_maps(results);
  if (maps.empty()) return "";
  std::string out =
      "<section>\n<h2>Weights of cells</h2>\n<p class=\"dim\">One square per level of the "
      "pyramid; the stronger the colour of a cell, the larger its weight.</p>\n<div "
      "class=\"maps\">\n";
  for (const WeightMap& map : maps) {
    double largest = 0;
    std::string values;
    for (size_t l = 0; l < map.levels.size(); ++l) {
      values += fmt::format("{}level {}:", l == 0 ? "" : "; ", l);
      for (const double weight : map.levels[l]) {
        largest = std::max(largest, weight);
        values += fmt::format(" {:.3f}", weight);
      }
    }
    out += fmt::format("<figure><div class=\"levels\" role=\"img\" aria-label=\"{}\">",
                       html_escape(values));
    for (const auto& level : map.levels) out += level_picture(level, largest);
    out += fmt::format("</div><figcaption>{}</figcaption></figure>\n", html_escape(map.title));
  }
  return out + "</div>\n</section>\n";
}

std::string picture_section(const Results& results) {
  std::string out;
  for (const Picture& picture : results.pictures) {
    if (!embedded(picture.source)) continue;
    out += fmt::format(
        "<figure><img alt=\"{0}\" loading=\"lazy\" decoding=\"async\" src=\"{1}\"><figcaption>"
        "<strong>{0}</strong> {2}</figcaption></figure>\n",
        html_escape(picture.title), html_escape(picture.source), html_escape(picture.caption));
  }
  if (out.empty()) return "";
  return "<section>\n<h2>Pictures</h2>\n<div class=\"pictures\">\n" + out + "</div>\n</section>\n";
}

std::string recipe_section(const Results& results) {
  if (results.methods.empty()) return "";
  std::string out = "<section>\n<h2>Recipes</h2>\n<dl>\n";
  for (const MethodResult& m : results.methods) {
    std::string seeds;
    for (const SplitResult& split : m.splits)
      if (split.seed) seeds += fmt::format("{}{}", seeds.empty() ? "" : ", ", *split.seed);
    out += fmt::format(
        "<dt>{}</dt><dd><code>{}</code>{}</dd>\n", html_escape(m.method), html_escape(m.recipe),
        seeds.empty() ? ""
                      : "<br><span class=\"dim\">split seeds: " + html_escape(seeds) + "</span>");
  }
  return out + "</dl>\n</section>\n";
}

std::string time_section(const Results& results) {
  const std::vector<std::string> stages = stage_names(results);
  if (stages.empty()) return "";
  double longest = 0;
  for (const MethodResult& m : results.methods) longest = std::max(longest, total_seconds(m));
  std::string out =
      "<section>\n<h2 id=\"times\">Times and memory</h2>\n<p class=\"dim\">Seconds per split; "
      "training is the sum of its stages. Features are extracted once for all methods that share "
      "them. Memory is the peak of the whole process so far.</p>\n" +
      html_table_start("times", "sortable") + "<thead><tr><th scope=\"col\">Method</th>";
  for (size_t s = 0; s < stages.size(); ++s)
    out += fmt::format(
        "<th scope=\"col\">{}{}</th>", html_escape(stages[s]),
        stages[s] == "train" ? "" : fmt::format(" <i class=\"key stage{}\"></i>", s % 6));
  out +=
      "<th scope=\"col\" class=\"no-sort\"><span class=\"hidden\">Drawn</span></th><th "
      "scope=\"col\">Memory</th></tr></thead>\n<tbody>\n";
  for (const MethodResult& m : results.methods) {
    out += fmt::format("<tr data-series=\"{}\"><th scope=\"row\">{}</th>",
                       html_escape(m.series_name()), html_escape(m.method));
    for (const std::string& stage : stages)
      out += html_cell(seconds_of(m.seconds, stage), html_seconds(seconds_of(m.seconds, stage)));
    out += time_bar(m, stages, longest) +
           html_cell(m.peak_memory_mib, html_memory(m.peak_memory_mib)) + "</tr>\n";
  }
  return out + kHtmlTableEnd + "</section>\n";
}

std::string fact_sections(const Results& results) {
  return "<div class=\"facts\">\n" +
         fact_list("Data", results.data ? facts_of(*results.data) : Facts()) +
         fact_list("Protocol", results.protocol) +
         fact_list("Machine", results.machine ? facts_of(*results.machine) : Facts()) + "</div>\n";
}

}  // namespace muster
