// Option structs, described once. A struct lists its members in fields(Fields&); that one list
// feeds the command line, --help, JSON, validation, the recipe and the report:
//
//   struct BowOptions {
//     int words = 1000;
//     void fields(Fields& f) { f("words", words, "size of the vocabulary").range(1, 1e6).paper("EMK
//     2"); }
//   };
#pragma once

#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace muster {

// An enum member with its spellings, in the order of its values from 0 on.
struct ChoiceRef {
  std::function<int()> get;
  std::function<void(int)> set;
};

// std::optional<double> is a number that may be "auto"; std::vector<int> is a list "16,24,32", and
// so is std::vector<double>, of which an empty one is "auto". Texts may hold anything: characters
// that mean something in recipes or shells are written as %2F and the like there, and may stand for
// themselves where a value is given alone.
using FieldRef =
    std::variant<int*, double*, bool*, std::optional<double>*, std::vector<int>*,
                 std::vector<double>*, std::string*, std::vector<std::string>*, ChoiceRef>;

class Field {
 public:
  Field(std::string name, FieldRef ref, std::string help)
      : name_(std::move(name)), ref_(std::move(ref)), help_(std::move(help)) {}

  Field& range(double low, double high) {
    low_ = low;
    high_ = high;
    return *this;
  }
  Field& paper(std::string section) {
    paper_ = std::move(section);
    return *this;
  }
  Field& choices(std::vector<std::string> names) {
    choices_ = std::move(names);
    return *this;
  }

  const std::string& name() const { return name_; }
  const std::string& help() const { return help_; }
  const std::string& paper() const { return paper_; }
  const std::vector<std::string>& choices() const { return choices_; }
  // "integer", "number", "number or auto", "true or false", "list of integers", "list of numbers or
  // auto", "text", "list of texts" or "choice".
  std::string type() const;
  // What is allowed, in words: "1 to 1000000", "one of dog, harris", ...
  std::string allowed() const;
  // The value as it stands in a recipe; parse(text()) gives the same value back.
  std::string text() const;
  // The member itself, if it is of that type; else null.
  template <class T>
  const T* as() const {
    const auto* member = std::get_if<T*>(&ref_);
    return member ? *member : nullptr;
  }
  // Throws a usage error that names the owner, the option, the value and what is allowed.
  void parse(std::string_view owner, std::string_view value);
  // Throws as parse does if a value set in code is out of range.
  void validate(std::string_view owner) const;

 private:
  bool in_range(double value) const { return value >= low_ && value <= high_; }

  std::string name_;
  FieldRef ref_;
  std::string help_;
  std::string paper_;
  std::vector<std::string> choices_;
  double low_ = -std::numeric_limits<double>::infinity();
  double high_ = std::numeric_limits<double>::infinity();
};

class Fields {
 public:
  template <class T>
  Field& operator()(std::string name, T& member, std::string help) {
    return list_.emplace_back(std::move(name), FieldRef(&member), std::move(help));
  }
  template <class Enum>
  Field& choice(std::string name, Enum& member, std::vector<std::string> names, std::string help) {
    ChoiceRef ref{[&member] { return static_cast<int>(member); },
                  [&member](int value) { member = static_cast<Enum>(value); }};
    return list_.emplace_back(std::move(name), FieldRef(std::move(ref)), std::move(help))
        .choices(std::move(names));
  }

  std::vector<Field>& list() & { return list_; }
  std::vector<Field> list() && { return std::move(list_); }
  Field* find(std::string_view name);

 private:
  std::vector<Field> list_;
};

// Any option struct behind one interface; value semantics through clone().
class AnyOptions {
 public:
  virtual ~AnyOptions() = default;
  virtual Fields fields() = 0;
  virtual std::unique_ptr<AnyOptions> clone() const = 0;

  // name=value pairs; `owner` is the stage's name for messages. Unknown names list the known ones.
  void set(std::string_view owner, std::string_view name, std::string_view value);
  void validate(std::string_view owner);
};

template <class Options>
class OptionsOf final : public AnyOptions {
 public:
  OptionsOf() = default;
  explicit OptionsOf(Options values) : values(std::move(values)) {}
  Fields fields() override {
    Fields list;
    values.fields(list);
    return list;
  }
  std::unique_ptr<AnyOptions> clone() const override { return std::make_unique<OptionsOf>(values); }

  Options values;
};

// For stages that have none.
struct NoOptions {
  void fields(Fields&) {}
};

// Shortest text that reads back as the same double, without a '+', which means something in
// recipes.
std::string number_text(double value);

// Edit distance based help for misspelled names: " (did you mean 'words'?)" or "".
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);

}  // namespace muster
