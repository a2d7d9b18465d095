// Results as plain text and CSV.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "muster/results/results.h"

namespace muster {

// One line per method: accuracy mean and standard deviation, mean class accuracy (in per cent), AUC
// and mean AP (by area and by eleven points) if there are any, seconds of training and testing.
std::string text_table(const Results& results);

// One line per label of multi-label data: AUC, average precision by area and by eleven points.
// Empty without labels.
std::string label_table(const MethodResult& method);

// One line per row of the comparison: the paper's figure, ours, the verdict.
std::string comparison_table(const Results& results);

// One row per method, values as fractions in full precision; RFC 4180, with a header.
std::string csv_table(const Results& results);

// Rows are true classes, columns predicted ones (numbered; the row names them), in per cent of the
// row, with the number of predictions. Empty without predictions.
std::string confusion_table(const MethodResult& method,
                            const std::vector<std::string>& class_names);

// 0.8125 -> "81.2"; "-" if there is no value.
std::string percent_text(std::optional<double> fraction);
// Seconds with three significant digits or so; "-" if there is no value.
std::string seconds_text(std::optional<double> seconds);

// Valid UTF-8 without control characters: each byte that is neither becomes U+FFFD.
std::string printable(std::string_view text);

}  // namespace muster
