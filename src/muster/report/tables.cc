#include "muster/report/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace muster {
namespace {

using Row = std::vector<std::string>;

// Length of the valid UTF-8 sequence at the start of `text`, 0 when it is invalid or cut short.
size_t sequence_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Overlong forms, surrogates, and what is beyond U+10FFFF.
  const unsigned second = byte(1);
  if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
      (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f))
    return 0;
  return length;
}

size_t num_characters(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// Columns as wide as their widest cell: the first `left` of them aligned left, the others right.
std::string aligned(const std::vector<Row>& rows, size_t left) {
  std::vector<size_t> widths(rows.front().size());
  for (const Row& row : rows)
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], num_characters(row[c]));
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      const std::string padding(widths[c] - num_characters(row[c]), ' ');
      line += (c > 0 ? "  " : "") + (c < left ? row[c] + padding : padding + row[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

using MeanMeasures = Measures<MeasureSummary>;

bool any_has(const Results& results, std::optional<MeasureSummary> MeanMeasures::*measure) {
  return std::ranges::any_of(
      results.methods, [&](const MethodResult& m) { return (m.measures.*measure).has_value(); });
}

std::string auc_text(std::optional<double> auc) { return auc ? fmt::format("{:.3f}", *auc) : "-"; }

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string exact(std::optional<double> value) { return value ? fmt::format("{}", *value) : ""; }

}  // namespace

std::string percent_text(std::optional<double> fraction) {
  return fraction ? fmt::format("{:.1f}", 100 * *fraction) : "-";
}

std::string seconds_text(std::optional<double> seconds) {
  if (!seconds) return "-";
  return fmt::format("{:.{}f}", *seconds, *seconds >= 100 ? 0 : *seconds >= 10 ? 1 : 2);
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = sequence_length(text);
    const auto lead = static_cast<unsigned char>(text[0]);
    const bool control = lead < 0x20 || lead == 0x7f;
    if (length == 0 || control)
      out += "\xef\xbf\xbd";
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

std::string text_table(const Results& results) {
  const bool ranked = any_has(results, &MeanMeasures::auc) || any_has(results, &MeanMeasures::map);
  const bool eleven = any_has(results, &MeanMeasures::map_11_point);
  const bool inferred = any_has(results, &MeanMeasures::inferred_map);
  const bool classes = any_has(results, &MeanMeasures::accuracy) || !ranked;
  const auto row_of = [&](const MethodResult* m) {
    Row row{m ? printable(m->method) : "method"};
    if (classes) {
      std::string accuracy = m ? percent_text(mean_of(m->measures.accuracy)) : "accuracy %";
      if (const auto deviation = m ? deviation_of(m->measures.accuracy) : std::nullopt)
        accuracy += " ± " + percent_text(deviation);
      row.push_back(accuracy);
      row.push_back(m ? percent_text(mean_of(m->measures.mean_class_accuracy)) : "class mean %");
    }
    if (ranked) {
      row.push_back(m ? auc_text(mean_of(m->measures.auc)) : "AUC");
      row.push_back(m ? percent_text(mean_of(m->measures.map)) : "mean AP %");
    }
    if (eleven) row.push_back(m ? percent_text(mean_of(m->measures.map_11_point)) : "11-point %");
    if (inferred) row.push_back(m ? percent_text(mean_of(m->measures.inferred_map)) : "infAP %");
    row.push_back(m ? seconds_text(seconds_of(m->seconds, "train")) : "train s");
    row.push_back(m ? seconds_text(seconds_of(m->seconds, "test")) : "test s");
    return row;
  };
  std::vector<Row> rows{row_of(nullptr)};
  for (const MethodResult& m : results.methods) rows.push_back(row_of(&m));
  return aligned(rows, 1);
}

std::string label_table(const MethodResult& method) {
  if (method.labels.empty()) return "";
  std::vector<Row> rows{{"label", "AUC", "AP %", "11-point %"}};
  for (const LabelResult& label : method.labels)
    rows.push_back({printable(label.label), auc_text(label.auc),
                    percent_text(label.average_precision),
                    percent_text(label.average_precision_11_point)});
  return aligned(rows, 1);
}

std::string comparison_table(const Results& results) {
  std::vector<Row> rows{{"row", "paper", "ours", "verdict"}};
  for (const ComparisonRow& row : results.comparison) {
    const auto text = [&](std::optional<double> value) {
      if (!value) return std::string("-");
      if (row.unit == "percent") return percent_text(value) + " %";
      if (row.unit == "seconds") return seconds_text(value) + " s";
      return fmt::format("{:.4g}", *value) + (row.unit.empty() ? "" : " " + printable(row.unit));
    };
    rows.push_back({printable(row.name), text(row.paper), text(row.ours), printable(row.verdict)});
  }
  return aligned(rows, 1);
}

std::string csv_table(const Results& results) {
  std::string out =
      "method,recipe,splits,accuracy_mean,accuracy_std,mean_class_accuracy_mean,auc_mean,map_mean,"
      "map_11_point_mean,train_seconds,test_seconds\r\n";
  for (const MethodResult& m : results.methods)
    out += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{}\r\n", quoted(m.method), quoted(m.recipe), m.splits.size(),
        exact(mean_of(m.measures.accuracy)), exact(deviation_of(m.measures.accuracy)),
        exact(mean_of(m.measures.mean_class_accuracy)), exact(mean_of(m.measures.auc)),
        exact(mean_of(m.measures.map)), exact(mean_of(m.measures.map_11_point)),
        exact(seconds_of(m.seconds, "train")), exact(seconds_of(m.seconds, "test")));
  return out;
}

std::string confusion_table(const MethodResult& method,
                            const std::vector<std::string>& class_names) {
  const auto counts = confusion_counts(method, class_names.size());
  Row header{"", "true class"};
  for (size_t c = 0; c < class_names.size(); ++c) header.push_back(fmt::format("{}", c + 1));
  header.push_back("tested");
  std::vector<Row> rows{header};
  int all = 0;
  for (size_t r = 0; r < counts.size(); ++r) {
    const int total = std::accumulate(counts[r].begin(), counts[r].end(), 0);
    all += total;
    Row row{fmt::format("{}", r + 1), printable(class_names[r])};
    for (const int count : counts[r])
      row.push_back(count == 0 ? "." : fmt::format("{:.0f}", 100.0 * count / total));
    row.push_back(fmt::format("{}", total));
    rows.push_back(row);
  }
  return all == 0 ? "" : aligned(rows, 2);
}

}  // namespace muster
