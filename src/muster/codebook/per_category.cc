#include "muster/codebook/per_category.h"

#include <algorithm>

#include "muster/core/error.h"

namespace muster {

std::vector<Matrix<float>> vectors_by_category(std::string_view stage, const Sample& sample) {
  std::vector<std::vector<size_t>> rows(static_cast<size_t>(std::max(sample.num_classes, 0)));
  for (size_t i = 0; i < sample.labels.size(); ++i)
    if (sample.labels[i] >= 0) rows[static_cast<size_t>(sample.labels[i])].push_back(i);
  std::vector<Matrix<float>> out;
  for (const std::vector<size_t>& members : rows)
    if (!members.empty()) out.push_back(select_rows(sample.vectors.view(), members));
  if (out.empty() && sample.vectors.rows() > 0)
    throw usage_error(
        "{}: option per_category=true is not allowed: the items have no labels; give labelled "
        "items or set per_category=false",
        stage);
  return out;
}

int even_share(int total, size_t i, size_t parts) {
  const auto count = static_cast<int>(parts);
  return std::max(1, total / count + (static_cast<int>(i) < total % count ? 1 : 0));
}

}  // namespace muster
