#include "muster/reproduce/paper_experiment.h"

#include <toml++/toml.h>

#include <algorithm>
#include <charconv>

#include "muster/core/error.h"
#include "muster/core/options.h"
#include "muster/evaluate/splits.h"
#include "muster/experiment/runs.h"
#include "muster/reproduce/embedded.h"

namespace muster {
namespace {

using Texts = std::map<std::string, std::string>;

// Reads the fields of one table and refuses those that nobody asked for: a misspelled one must not
// be ignored.
class TableReader {
 public:
  TableReader(const toml::table& table, std::string where)
      : table_(table), where_(std::move(where)) {}

  template <class Value>
  std::optional<Value> find(const char* name) {
    known_.push_back(name);
    const toml::node* node = table_.get(name);
    if (!node) return std::nullopt;
    auto value = node->value<Value>();
    if (!value) refuse(name, "is of another type than expected");
    return value;
  }
  std::string text(const char* name, std::string fallback = "") {
    return find<std::string>(name).value_or(std::move(fallback));
  }
  std::string required(const char* name) {
    const auto value = find<std::string>(name);
    if (!value) refuse(name, "is missing");
    return *value;
  }
  std::vector<std::string> texts(const char* name) {
    std::vector<std::string> out;
    if (const toml::array* list = array(name))
      for (const toml::node& node : *list) {
        const auto value = node.value<std::string>();
        if (!value) refuse(name, "must be a list of texts");
        out.push_back(*value);
      }
    return out;
  }
  std::vector<double> numbers(const char* name) {
    std::vector<double> out;
    if (const toml::array* list = array(name))
      for (const toml::node& node : *list) {
        const auto value = node.value<double>();
        if (!value) refuse(name, "must be a list of numbers");
        out.push_back(*value);
      }
    return out;
  }
  // Option names and values, as the command line would take them.
  Texts options(const char* name) {
    Texts out;
    if (const toml::table* inner = table(name))
      for (const auto& [key, node] : *inner) out[std::string(key.str())] = plain_text(node, name);
    return out;
  }
  const toml::table* table(const char* name) {
    known_.push_back(name);
    const toml::node* node = table_.get(name);
    if (node && !node->is_table()) refuse(name, "must be a table");
    return node ? node->as_table() : nullptr;
  }
  std::vector<const toml::table*> tables(const char* name) {
    std::vector<const toml::table*> out;
    if (const toml::array* list = array(name))
      for (const toml::node& node : *list) {
        if (!node.is_table()) refuse(name, "must be a list of tables");
        out.push_back(node.as_table());
      }
    return out;
  }
  const toml::node* node(const char* name) {
    known_.push_back(name);
    return table_.get(name);
  }
  [[noreturn]] void refuse(const std::string& name, const std::string& why) const {
    throw usage_error("{}: field '{}' {}", where_, name, why);
  }
  void finish() const {
    for (const auto& [key, unused] : table_)
      if (std::ranges::find(known_, key.str()) == known_.end())
        refuse(std::string(key.str()), "is unknown" + did_you_mean(key.str(), known_));
  }

 private:
  const toml::array* array(const char* name) {
    known_.push_back(name);
    const toml::node* node = table_.get(name);
    if (node && !node->is_array()) refuse(name, "must be a list");
    return node ? node->as_array() : nullptr;
  }
  std::string plain_text(const toml::node& node, const char* name) const {
    if (const auto text = node.value_exact<std::string>()) return *text;
    if (const auto whole = node.value_exact<int64_t>()) return fmt::format("{}", *whole);
    if (const auto number = node.value_exact<double>()) return fmt::format("{}", *number);
    if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
    refuse(name, "must hold texts and numbers");
  }

  const toml::table& table_;
  std::string where_;
  std::vector<std::string> known_;
};

// "46.3", "46.3 ± 0.9", a number, or "-" for what the paper does not give.
std::optional<PaperFigure> figure(const toml::node& node, double unit, const TableReader& reader) {
  if (const auto number = node.value<double>()) return PaperFigure{*number * unit, std::nullopt};
  const std::string text = node.value_or(std::string());
  if (text == "-") return std::nullopt;
  const auto number = [&](std::string_view part) {
    const size_t begin = part.find_first_not_of(' ');
    part.remove_prefix(begin == std::string_view::npos ? part.size() : begin);
    const size_t last = part.find_last_not_of(' ');
    part = part.substr(0, last == std::string_view::npos ? 0 : last + 1);
    double value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size())
      reader.refuse("paper",
                    "must hold figures such as 46.3 or \"46.3 ± 0.9\", not '" + text + "'");
    return value * unit;
  };
  constexpr std::string_view kPlusMinus = "±";
  const size_t at = text.find(kPlusMinus);
  if (at == std::string::npos) return PaperFigure{number(text), std::nullopt};
  return PaperFigure{number(text.substr(0, at)), number(text.substr(at + kPlusMinus.size()))};
}

std::vector<std::optional<PaperFigure>> figures(const toml::node& node, double unit,
                                                const TableReader& reader) {
  std::vector<std::optional<PaperFigure>> out;
  if (const toml::array* list = node.as_array())
    for (const toml::node& entry : *list) out.push_back(figure(entry, unit, reader));
  else
    out.push_back(figure(node, unit, reader));
  return out;
}

PaperMethod read_method(const toml::table& table, const PaperExperiment& experiment,
                        const std::string& where) {
  TableReader reader(table, where);
  PaperMethod out;
  out.name = reader.required("name");
  out.recipe = reader.required("recipe");
  out.overrides = reader.texts("set");
  out.universal_from = reader.text("universal_from");
  out.at = reader.numbers("at");
  for (const double value : out.at)
    if (!experiment.sweep || experiment.sweep->in_protocol ||
        std::ranges::find(experiment.sweep->values, value) == experiment.sweep->values.end())
      reader.refuse("at", "must be some of the values that recipes are filled with");
  const double unit = is_percent(experiment.measure) ? 0.01 : 1;
  if (const toml::node* node = reader.node("paper")) {
    if (const toml::table* parts = node->as_table())
      for (const auto& [part, values] : *parts)
        out.paper[std::string(part.str())] = figures(values, unit, reader);
    else
      out.paper[""] = figures(*node, unit, reader);
  }
  const size_t expected = experiment.sweep ? experiment.sweep->values.size() : 1;
  for (const auto& [part, values] : out.paper) {
    if (std::ranges::find(experiment.parts, part, &PaperPart::name) == experiment.parts.end())
      reader.refuse("paper", "names a part '" + part + "' that is not there");
    if (values.size() != expected)
      reader.refuse("paper", fmt::format("must have {} figures per part", expected));
  }
  reader.finish();
  return out;
}

PaperSweep read_sweep(const toml::table& table, const std::string& where) {
  TableReader reader(table, where);
  PaperSweep out;
  out.name = reader.required("name");
  out.label = reader.text("label", out.name);
  out.values = reader.numbers("values");
  out.quick_values = reader.numbers("quick");
  out.log = reader.find<bool>("log").value_or(false);
  out.measured_x = reader.texts("measured_x");
  if (out.values.empty()) reader.refuse("values", "is missing");
  for (const double value : out.quick_values)
    if (std::ranges::find(out.values, value) == out.values.end())
      reader.refuse("quick", "must be some of the values");
  if (out.quick_values.empty()) out.quick_values = out.values;
  ProtocolOptions protocol;
  Fields fields;
  protocol.fields(fields);
  for (const Field& field : fields.list())
    out.in_protocol = out.in_protocol || field.name() == out.name;
  reader.finish();
  return out;
}

PaperPart read_part(const toml::table& table, const std::string& where) {
  TableReader reader(table, where);
  PaperPart out{reader.required("name"), reader.texts("classes"), reader.options("protocol")};
  reader.finish();
  return out;
}

PaperClaim read_claim(const toml::table& table, const PaperExperiment& experiment,
                      const std::string& where) {
  TableReader reader(table, where);
  PaperClaim out;
  out.of = reader.required("of");
  out.over = reader.required("over");
  out.part = reader.text("part");
  out.text = reader.text("text");
  out.measure = reader.text("measure", experiment.measure);
  out.ratio = reader.find<bool>("ratio").value_or(false);
  out.ours = reader.find<bool>("ours").value_or(false);
  out.at = reader.find<double>("at");
  out.over_at = reader.find<double>("over_at");
  if (out.over_at && !out.at) reader.refuse("over_at", "needs 'at'");
  const double unit = out.ratio || !is_percent(out.measure) ? 1 : 0.01;
  const auto bound = [&](const char* field) {
    auto value = reader.find<double>(field);
    if (value) *value *= unit;
    return value;
  };
  out.at_least = bound("at_least");
  out.at_most = bound("at_most");
  out.paper = bound("paper");
  if (out.ours && (out.at_least || out.at_most || out.paper))
    reader.refuse("ours", "has no bound: the paper does not say it");
  if (!out.at_least && out.measure != experiment.measure && !out.ours)
    reader.refuse("at_least", "is missing, and the paper's figures are of another measure");
  for (const std::string& name : {out.of, out.over})
    if (std::ranges::find(experiment.methods, name, &PaperMethod::name) == experiment.methods.end())
      reader.refuse("of", "and 'over' must name methods, not '" + name + "'");
  if (!out.at_least && !out.ours)
    for (const std::string& name : {out.of, out.over})
      if (std::ranges::find(experiment.methods, name, &PaperMethod::name)->paper.empty())
        reader.refuse("at_least", "is missing, and the paper has no figure of '" + name + "'");
  reader.finish();
  return out;
}

toml::table parse_toml(std::string_view text, const std::string& where) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw usage_error("{}: line {}: {}", where, error.source().begin.line, error.description());
  }
}

}  // namespace

PaperExperiment parse_experiment(const std::string& name, std::string_view text) {
  const std::string where = "experiment " + name;
  const toml::table table = parse_toml(text, where);
  TableReader reader(table, where);
  PaperExperiment out;
  out.name = name;
  out.title = reader.required("title");
  out.paper = reader.required("paper");
  out.about = reader.text("about");
  out.differs = reader.text("differs");
  out.data = reader.text("data");
  out.stand_in = reader.text("stand_in");
  out.stand_in_classes = reader.texts("stand_in_classes");
  out.study = reader.text("study");
  out.measure = reader.text("measure", "accuracy");
  out.stand_in_measure = reader.text("stand_in_measure", out.measure);
  out.also = reader.texts("also");
  out.tolerance =
      reader.find<double>("tolerance").value_or(0) * (is_percent(out.measure) ? 0.01 : 1);
  out.seed = static_cast<uint64_t>(reader.find<int64_t>("seed").value_or(1));
  out.protocol = reader.options("protocol");
  out.quick = reader.options("quick");
  out.stand_in_protocol = reader.options("stand_in_protocol");
  if (const toml::table* sweep = reader.table("sweep"))
    out.sweep = read_sweep(*sweep, where + ", sweep");
  for (const toml::table* part : reader.tables("part"))
    out.parts.push_back(read_part(*part, where + ", part"));
  if (out.parts.empty()) out.parts.push_back({});
  for (const toml::table* method : reader.tables("method"))
    out.methods.push_back(read_method(*method, out, where + ", method"));
  for (const toml::table* claim : reader.tables("claim"))
    out.claims.push_back(read_claim(*claim, out, where + ", claim"));
  if (out.study.empty() == out.data.empty())
    reader.refuse("data", "or 'study' must be given, one of the two");
  if (out.study.empty() && out.methods.empty()) reader.refuse("method", "is missing");
  reader.finish();
  return out;
}

std::vector<DataDescription> parse_data_descriptions(std::string_view text) {
  const toml::table table = parse_toml(text, "data of experiments");
  std::vector<DataDescription> out;
  for (const auto& [name, node] : table) {
    const std::string where = "data " + std::string(name.str());
    if (!node.is_table()) throw usage_error("{}: must be a table", where);
    TableReader reader(*node.as_table(), where);
    out.push_back({std::string(name.str()), reader.required("about"), reader.required("from"),
                   reader.required("layout")});
    reader.finish();
  }
  return out;
}

const std::vector<PaperExperiment>& all_experiments() {
  static const std::vector<PaperExperiment> experiments = [] {
    std::vector<PaperExperiment> out;
    for (const EmbeddedExperiment& file : embedded_experiments())
      out.push_back(parse_experiment(std::string(file.name), file.toml));
    std::ranges::sort(out, {}, &PaperExperiment::name);
    return out;
  }();
  return experiments;
}

const PaperExperiment& find_experiment(const std::string& name) {
  std::vector<std::string> known;
  for (const PaperExperiment& experiment : all_experiments()) {
    if (experiment.name == name) return experiment;
    known.push_back(experiment.name);
  }
  throw usage_error("unknown experiment '{}'{}; muster reproduce --list shows them all", name,
                    did_you_mean(name, known));
}

const DataDescription& find_data(const std::string& name) {
  static const std::vector<DataDescription> descriptions = parse_data_descriptions(kEmbeddedData);
  for (const DataDescription& description : descriptions)
    if (description.name == name) return description;
  throw usage_error("experiments: data '{}' is not described in data.toml", name);
}

}  // namespace muster
