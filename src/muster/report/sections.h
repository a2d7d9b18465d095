// The parts of the report page, each a <section>, or nothing if the results do not hold it (an
// internal part of html.h).
#pragma once

#include <string>
#include <vector>

#include "muster/results/results.h"

namespace muster {

// What was measured, the best method, notes.
std::string headline(const Results& results);
// The paper's figures beside ours.
std::string comparison_section(const Results& results);
// One row per method: mean, deviation, 95 % interval, times, memory.
std::string summary_section(const Results& results);
// Between methods on the same splits.
std::string paired_section(const Results& results);
// One figure per curve, its values as a table; the script draws it.
std::string curve_sections(const Results& results);
// ROC and precision-recall: measures per class as a table; the script draws the curves.
std::string ranking_section(const Results& results);
// Of multi-label data: the measures of each label by the best method.
std::string label_section(const Results& results);
// Accuracy of every class by every method.
std::string class_section(const Results& results);
// For the best methods: confusion, most confident mistakes.
std::string method_sections(const Results& results);
std::string branch_share_section(const Results& results);
std::string weight_map_section(const Results& results);
std::string picture_section(const Results& results);
std::string recipe_section(const Results& results);
std::string time_section(const Results& results);
std::string fact_sections(const Results& results);

// At most this many methods get a part of their own, the best ones.
inline constexpr size_t kMaxDetailed = 12;
std::vector<const MethodResult*> detailed_methods(const Results& results);

}  // namespace muster
