#include "muster/report/page_data.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "muster/report/rank_curves.h"
#include "muster/report/sections.h"
#include "muster/report/tables.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

Json curve_json(const Curve& curve) {
  Json series = Json::array();
  for (const CurveSeries& s : curve.series) {
    Json points = Json::array();
    for (const CurvePoint& p : s.points)
      points.push_back(p.low && p.high ? Json{p.x, p.y, *p.low, *p.high} : Json{p.x, p.y});
    series.push_back({{"name", printable(s.name)}, {"paper", s.paper}, {"points", points}});
  }
  return {{"title", printable(curve.title)}, {"x", printable(curve.x_label)}, {"log", curve.x_log},
          {"y", printable(curve.y_label)},   {"unit", printable(curve.unit)}, {"series", series}};
}

// Three digits are more than a chart shows.
Json rounded(const RankCurve& curve) {
  Json out = Json::array();
  for (const double value : curve) out.push_back(std::round(1000 * value) / 1000);
  return out;
}

Json rankings_json(const Results& results) {
  Json methods = Json::array();
  for (const MethodResult* m : detailed_methods(results)) {
    const std::vector<ClassCurves> curves = rank_curves(*m, results.class_names.size());
    if (curves.empty()) continue;
    Json roc = Json::array(), precision = Json::array();
    for (const ClassCurves& c : curves) {
      roc.push_back(c.num_splits > 0 ? rounded(c.true_positive_rate) : Json());
      precision.push_back(c.num_splits > 0 ? rounded(c.precision) : Json());
    }
    methods.push_back({{"name", printable(m->method)},
                       {"series", printable(m->series_name())},
                       {"roc", std::move(roc)},
                       {"pr", std::move(precision)}});
  }
  Json classes = Json::array();
  for (const std::string& name : results.class_names) classes.push_back(printable(name));
  return {{"classes", std::move(classes)}, {"methods", std::move(methods)}};
}

}  // namespace

std::string page_data(const Results& results) {
  Json curves = Json::array();
  for (const Curve& curve : results.curves) curves.push_back(curve_json(curve));
  const std::string text = Json{{"curves", curves}, {"rankings", rankings_json(results)}}.dump();
  std::string out;
  for (const char c : text) out += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return out;
}

}  // namespace muster
