#include "muster/solve/libsvm_gram.h"

#include <libsvm/svm.h>

#include "muster/core/parallel.h"

namespace muster {
namespace {

// LIBSVM's cache of kernel rows (float), large enough for all rows of the problems that it is meant
// for.
double cache_megabytes(size_t items) {
  const auto n = static_cast<double>(items);
  return std::min(1000.0, 16 + n * n * sizeof(float) / 1e6);
}

}  // namespace

struct LibsvmGram::Nodes {
  size_t n = 0;
  // n rows of n + 1; the first one of a row holds its number, counted from 1.
  std::vector<svm_node> values;

  svm_node* row(size_t i) { return &values[i * (n + 1)]; }
};

LibsvmGram::LibsvmGram(MatrixView<const double> gram, double factor)
    : nodes_(std::make_unique<Nodes>()) {
  nodes_->n = gram.rows;
  nodes_->values.resize(gram.rows * (gram.rows + 1));
  parallel_for(gram.rows, 64, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      svm_node* row = nodes_->row(i);
      row[0] = {0, static_cast<double>(i + 1)};
      for (size_t j = 0; j < gram.cols; ++j)
        row[j + 1] = {static_cast<int>(j + 1), factor * gram(i, j)};
    }
  });
}

LibsvmGram::~LibsvmGram() = default;

SvmDecision LibsvmGram::train(const BinaryProblem& problem, Costs costs, double tolerance) const {
  static const bool silenced = (svm_set_print_string_function([](const char*) {}), true);
  (void)silenced;
  std::vector<svm_node*> x;
  std::vector<double> y;
  std::vector<size_t> items;
  for (size_t i = 0; i < problem.targets.size(); ++i) {
    if (problem.targets[i] == 0) continue;
    x.push_back(nodes_->row(i));
    y.push_back(problem.targets[i]);
    items.push_back(i);
  }
  const svm_problem task{static_cast<int>(y.size()), y.data(), x.data()};
  int sides[] = {1, -1};
  double side_costs[] = {costs.positive, costs.negative};
  svm_parameter how{};
  how.svm_type = C_SVC;
  how.kernel_type = PRECOMPUTED;
  how.cache_size = cache_megabytes(y.size());
  how.eps = tolerance;
  how.C = 1;
  how.nr_weight = 2;
  how.weight_label = sides;
  how.weight = side_costs;
  how.shrinking = 1;
  svm_model* model = svm_train(&task, &how);
  const double sign = model->label[0];
  SvmDecision out{std::vector<double>(nodes_->n), -sign * model->rho[0]};
  for (int s = 0; s < model->l; ++s)
    out.coefficients[items[static_cast<size_t>(model->sv_indices[s] - 1)]] =
        sign * model->sv_coef[0][s];
  svm_free_and_destroy_model(&model);
  return out;
}

double LibsvmGram::decision(size_t item, const SvmDecision& svm) const {
  const svm_node* row = nodes_->row(item);
  double sum = svm.offset;
  for (size_t j = 0; j < svm.coefficients.size(); ++j)
    if (svm.coefficients[j] != 0) sum += svm.coefficients[j] * row[j + 1].value;
  return sum;
}

}  // namespace muster
