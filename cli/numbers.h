// Checks of numbers on the command line: all of the text is one number in plain decimal, and it is
// in range. CLI11's own read "" as 0, "010" as eight and let nan through.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

namespace muster::cli {

CLI::Validator whole_number(uint64_t low, uint64_t high);
CLI::Validator real_number(double low, double high);

// --seed.
CLI::Option* add_seed(CLI::App& app, uint64_t& seed);

}  // namespace muster::cli
