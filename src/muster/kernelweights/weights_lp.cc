#include <coin/Clp_C_Interface.h>

#include <limits>
#include <memory>

#include "muster/kernelweights/weight_rules.h"

namespace muster {
namespace {

constexpr size_t kMostEntries = 100'000'000;  // of the programme: 1.2 GB

// Primal, with pair weights v: min sum_pq v_pq e_pq, e_pq >= 1 - K_pq if Y_pq = 1, e_pq >= K_pq -
// Y_pq otherwise, e, u >= 0. Dual: max sum_{Y=1} y_pq - sum_{Y<1} Y_pq z_pq with 0 <= y, z <= v_pq
// and for every kernel sum_{Y=1} y_pq K_j(p, q) - sum_{Y<1} z_pq K_j(p, q) <= 0; u are its row
// prices. If Y_pq = 0 and no kernel is negative, z_pq is at its bound, and only its sum counts: a
// row's right side.
struct DualProgramme {
  explicit DualProgramme(size_t rows) : right(rows) {}

  std::vector<double> values;  // columns one after the other, `right.size()` entries each
  std::vector<double> upper, cost, right;
};

void add_pair(double target, double weight, std::span<const double> kernel_values,
              DualProgramme& programme) {
  if (target == 0 && std::ranges::all_of(kernel_values, [](double value) { return value >= 0; })) {
    for (size_t j = 0; j < kernel_values.size(); ++j)
      programme.right[j] += weight * kernel_values[j];
    return;
  }
  const double sign = target == 1 ? 1 : -1;
  for (double value : kernel_values) programme.values.push_back(sign * value);
  programme.upper.push_back(weight);
  programme.cost.push_back(target == 1 ? -1 : target);
  if (programme.values.size() > kMostEntries)
    throw usage_error(
        "weights=lp: the linear programme has a column for every pair of items of one class, and "
        "would need more than {} entries; use fewer items or weights=qp",
        kMostEntries);
}

DualProgramme gather(const KernelTiles& kernels, const LabelSimilarity& similarity,
                     std::span<const double> largest) {
  DualProgramme out(kernels.num_kernels);
  const std::vector<double>& weights = similarity.item_weights();
  for_each_pair(kernels, largest, [&](size_t p, size_t q, std::span<const double> values) {
    add_pair(similarity(p, q), (p == q ? 1 : 2) * weights[p] * weights[q], values, out);
  });
  return out;
}

}  // namespace

std::vector<double> lp_weights(const KernelTiles& kernels, const LabelSimilarity& similarity,
                               std::span<const double> largest) {
  const DualProgramme dual = gather(kernels, similarity, largest);
  const size_t rows = dual.right.size(), cols = dual.upper.size();
  std::vector<int> starts(cols + 1), indices(dual.values.size());
  for (size_t c = 0; c <= cols; ++c) starts[c] = static_cast<int>(c * rows);
  for (size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<int>(i % rows);
  const std::vector<double> zeros(cols), free_below(rows, std::numeric_limits<double>::lowest());
  const std::unique_ptr<Clp_Simplex, void (*)(Clp_Simplex*)> model(Clp_newModel(), Clp_deleteModel);
  Clp_setLogLevel(model.get(), 0);
  Clp_loadProblem(model.get(), static_cast<int>(cols), static_cast<int>(rows), starts.data(),
                  indices.data(), dual.values.data(), zeros.data(), dual.upper.data(),
                  dual.cost.data(), free_below.data(), dual.right.data());
  Clp_primal(model.get(), 0);
  if (Clp_status(model.get()) != 0)
    throw runtime_failure(
        "weights=lp: the linear programme was not solved (CLP's status {}); use weights=qp",
        Clp_status(model.get()));
  std::vector<double> out(rows);
  double sum = 0;
  for (size_t j = 0; j < rows; ++j)
    sum += out[j] = std::max(0.0, -Clp_dualRowSolution(model.get())[j]);
  if (sum <= 0)
    throw data_error(
        "weights=lp: the hinge loss is smallest with all weights 0, since pairs of items of "
        "different classes outnumber the others; it is meant for two classes: use weights=qp or "
        "alignment");
  return out;
}

}  // namespace muster
