#include "muster/solve/liblinear_rows.h"

#include <linear.h>

#include <algorithm>

namespace muster {

struct LiblinearRows::Rows {
  std::vector<feature_node> nodes;
  std::vector<size_t> begins;  // of each row in nodes; a row ends with index -1
  int dim = 0;
};

LiblinearRows::LiblinearRows(ConstMatrixView vectors, double scale, double bias)
    : rows_(std::make_unique<Rows>()) {
  rows_->dim = static_cast<int>(vectors.cols) + 1;
  size_t count = 2 * vectors.rows;
  for (size_t i = 0; i < vectors.rows; ++i)
    count += vectors.cols - static_cast<size_t>(std::ranges::count(vectors.row(i), 0.0f));
  rows_->nodes.reserve(count);
  for (size_t i = 0; i < vectors.rows; ++i) {
    rows_->begins.push_back(rows_->nodes.size());
    for (size_t c = 0; c < vectors.cols; ++c)
      if (vectors(i, c) != 0)
        rows_->nodes.push_back(
            {static_cast<int>(c) + 1, scale * static_cast<double>(vectors(i, c))});
    rows_->nodes.push_back({rows_->dim, bias});
    rows_->nodes.push_back({-1, 0});
  }
}

LiblinearRows::~LiblinearRows() = default;

void LiblinearRows::solve(PrimalLoss loss, const BinaryProblem& binary, Costs costs,
                          double tolerance, std::vector<double>& weights) const {
  MUSTER_CHECK(weights.size() == static_cast<size_t>(rows_->dim));
  static const bool silenced = (set_print_string_function([](const char*) {}), true);
  (void)silenced;
  std::vector<feature_node*> x;
  std::vector<double> y;
  for (size_t i = 0; i < binary.targets.size(); ++i) {
    if (binary.targets[i] == 0) continue;
    x.push_back(&rows_->nodes[rows_->begins[i]]);
    y.push_back(binary.targets[i]);
  }
  const problem task{static_cast<int>(y.size()), rows_->dim, y.data(), x.data(), -1};
  int sides[] = {1, -1};
  double side_costs[] = {costs.positive, costs.negative};
  parameter how{};
  how.solver_type = loss == PrimalLoss::kSquaredHinge ? L2R_L2LOSS_SVC : L2R_LR;
  how.eps = tolerance;
  how.C = 1;
  how.nr_weight = 2;
  how.weight_label = sides;
  how.weight = side_costs;
  how.init_sol = weights.data();
  model* trained = train(&task, &how);
  const double sign = trained->label[0];
  for (size_t c = 0; c < weights.size(); ++c) weights[c] = sign * trained->w[c];
  free_and_destroy_model(&trained);
}

}  // namespace muster
