#include "muster/core/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "muster/core/error.h"

namespace muster {
namespace {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;  // clang 14 does not deduce it for aggregates

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

std::optional<int> parse_integer(std::string_view text) {
  int value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

std::vector<std::string_view> split_commas(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

std::string encode_text(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += is_plain(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

std::optional<std::string> decode_text(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const std::string_view digits = text.substr(i + 1, 2);
    unsigned value = 0;
    const auto [end, code] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (code != std::errc() || digits.size() != 2 || end != digits.data() + 2) return {};
    out += static_cast<char>(value);
    i += 2;
  }
  if (out.empty() || out.find('\0') != std::string::npos) return {};
  return out;
}

// For people: whole numbers without an exponent.
std::string bound_text(double value) {
  const bool plain = value == std::floor(value) && std::abs(value) < 1e10;
  return plain ? fmt::format("{:.0f}", value) : number_text(value);
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row.back();
}

}  // namespace

std::string number_text(double value) {
  char buffer[32];
  const auto [end, code] = std::to_chars(buffer, buffer + sizeof buffer, value);
  MUSTER_CHECK(code == std::errc());
  std::string text(buffer, end);
  std::erase(text, '+');
  return text;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
  const std::string* best = nullptr;
  size_t best_distance = std::max<size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = &candidate;
    }
  }
  return best ? fmt::format(" (did you mean '{}'?)", *best) : "";
}

std::string Field::type() const {
  return std::visit(Overloaded{[](int*) { return "integer"; }, [](double*) { return "number"; },
                               [](bool*) { return "true or false"; },
                               [](std::optional<double>*) { return "number or auto"; },
                               [](std::vector<int>*) { return "list of integers"; },
                               [](std::vector<double>*) { return "list of numbers or auto"; },
                               [](std::string*) { return "text"; },
                               [](std::vector<std::string>*) { return "list of texts"; },
                               [](const ChoiceRef&) { return "choice"; }},
                    ref_);
}

std::string Field::allowed() const {
  if (!choices_.empty()) return fmt::format("one of {}", fmt::join(choices_, ", "));
  if (std::holds_alternative<bool*>(ref_)) return "true or false";
  if (std::holds_alternative<std::string*>(ref_)) return "text, or auto";
  if (std::holds_alternative<std::vector<std::string>*>(ref_))
    return "a comma-separated list of texts, or auto";
  std::string range = std::isinf(low_) && std::isinf(high_) ? "any"
                      : std::isinf(high_) ? fmt::format("{} or more", bound_text(low_))
                      : std::isinf(low_)
                          ? fmt::format("at most {}", bound_text(high_))
                          : fmt::format("{} to {}", bound_text(low_), bound_text(high_));
  if (std::holds_alternative<std::optional<double>*>(ref_)) range += ", or auto";
  if (std::holds_alternative<std::vector<int>*>(ref_))
    range = "a comma-separated list, each " + range;
  if (std::holds_alternative<std::vector<double>*>(ref_))
    range = "a comma-separated list, each " + range + ", or auto";
  return range;
}

std::string Field::text() const {
  return std::visit(
      Overloaded{
          [](int* v) { return std::to_string(*v); }, [](double* v) { return number_text(*v); },
          [](bool* v) { return std::string(*v ? "true" : "false"); },
          [](std::optional<double>* v) { return *v ? number_text(**v) : std::string("auto"); },
          [](std::vector<int>* v) { return fmt::format("{}", fmt::join(*v, ",")); },
          [](std::vector<double>* v) {
            std::vector<std::string> parts;
            for (const double value : *v) parts.push_back(number_text(value));
            return v->empty() ? std::string("auto") : fmt::format("{}", fmt::join(parts, ","));
          },
          [](std::string* v) { return encode_text(*v); },
          [](std::vector<std::string>* v) {
            std::vector<std::string> parts;
            for (const std::string& text : *v) parts.push_back(encode_text(text));
            return fmt::format("{}", fmt::join(parts, ","));
          },
          [&](const ChoiceRef& v) { return choices_.at(static_cast<size_t>(v.get())); }},
      ref_);
}

void Field::parse(std::string_view owner, std::string_view value) {
  const auto refuse = [&] {
    return usage_error("{}: option {}={} is not allowed: {} takes {} ({})", owner, name_, value,
                       name_, type(), allowed());
  };
  const auto integer = [&](std::string_view text) {
    const auto parsed = parse_integer(text);
    if (!parsed || !in_range(*parsed)) throw refuse();
    return *parsed;
  };
  const auto number = [&](std::string_view text) {
    const auto parsed = parse_number(text);
    if (!parsed || !in_range(*parsed)) throw refuse();
    return *parsed;
  };
  const auto text = [&](std::string_view coded) {
    const auto decoded = decode_text(coded);
    if (!decoded) throw refuse();
    return *decoded;
  };
  std::visit(
      Overloaded{[&](int* v) { *v = integer(value); }, [&](double* v) { *v = number(value); },
                 [&](bool* v) {
                   if (value != "true" && value != "false") throw refuse();
                   *v = value == "true";
                 },
                 [&](std::optional<double>* v) {
                   if (value == "auto")
                     v->reset();
                   else
                     *v = number(value);
                 },
                 [&](std::vector<int>* v) {
                   std::vector<int> list;
                   for (std::string_view part : split_commas(value)) list.push_back(integer(part));
                   *v = std::move(list);
                 },
                 [&](std::vector<double>* v) {
                   std::vector<double> list;
                   if (value != "auto")
                     for (std::string_view part : split_commas(value)) list.push_back(number(part));
                   *v = std::move(list);
                 },
                 [&](std::string* v) { *v = text(value); },
                 [&](std::vector<std::string>* v) {
                   std::vector<std::string> list;
                   for (std::string_view part : split_commas(value)) list.push_back(text(part));
                   *v = std::move(list);
                 },
                 [&](const ChoiceRef& v) {
                   const auto found = std::ranges::find(choices_, value);
                   if (found == choices_.end()) throw refuse();
                   v.set(static_cast<int>(found - choices_.begin()));
                 }},
      ref_);
}

void Field::validate(std::string_view owner) const {
  Field copy = *this;
  copy.parse(owner, text());
}

Field* Fields::find(std::string_view name) {
  const auto found = std::ranges::find(list_, name, &Field::name);
  return found == list_.end() ? nullptr : &*found;
}

void AnyOptions::set(std::string_view owner, std::string_view name, std::string_view value) {
  Fields list = fields();
  if (Field* field = list.find(name)) {
    field->parse(owner, value);
    return;
  }
  std::vector<std::string> known;
  known.reserve(list.list().size());
  for (const Field& field : list.list()) known.push_back(field.name());
  if (known.empty())
    throw usage_error("{}: has no options, but {}={} was given", owner, name, value);
  throw usage_error("{}: no option '{}'{}; it has: {}", owner, name, did_you_mean(name, known),
                    fmt::join(known, ", "));
}

void AnyOptions::validate(std::string_view owner) {
  for (const Field& field : fields().list()) field.validate(owner);
}

}  // namespace muster
