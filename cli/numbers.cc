#include "numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace muster::cli {
namespace {

template <class T>
CLI::Validator number_between(T low, T high, const char* kind) {
  const std::string range = fmt::format("{} to {}", low, high);
  return CLI::Validator(
      [=](const std::string& text) {
        T value{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool whole = error == std::errc() && end == text.data() + text.size();
        const bool plain = text.size() < 2 || text[0] != '0' || text[1] == '.';
        if (whole && plain && value >= low && value <= high) return std::string();
        return fmt::format("'{}' is not allowed: it takes {} from {}", text, kind, range);
      },
      range);
}

}  // namespace

CLI::Validator whole_number(uint64_t low, uint64_t high) {
  return number_between(low, high, "a whole number");
}

CLI::Validator real_number(double low, double high) {
  return number_between(low, high, "a number");
}

CLI::Option* add_seed(CLI::App& app, uint64_t& seed) {
  return app.add_option("--seed", seed, "one seed, one result, for any number of threads")
      ->check(whole_number(0, std::numeric_limits<uint64_t>::max()))
      ->capture_default_str();
}

}  // namespace muster::cli
