#include "muster/density/divergence_kernel.h"

#include <cmath>

#include "muster/setkernel/gram.h"

namespace muster {
namespace {

constexpr double kRounding = 1e-9;  // all that is left of the divergences of equal sets

}  // namespace

void factor_field(Fields& f, const char* name, std::optional<double>& factor, const char* help,
                  const char* paper) {
  f(name, factor, help).range(1e-12, 1e12).paper(paper);
}

double unit_factor(RepresentedSpan training, size_t most, const Divergences& divergences) {
  const Represented some = spread_over(training, most);
  Matrix<double> values(some.size(), some.size());
  divergences(some, some, values, {});
  const double mean = mean_off_diagonal(values);
  return mean > kRounding ? 1 / mean : 1;
}

void exp_of_negative(double factor, MatrixView<double> values) {
  for (size_t i = 0; i < values.rows; ++i)
    for (double& value : values.row(i)) value = std::exp(-factor * value);
}

void raise_to(double power, MatrixView<double> values) {
  for (size_t i = 0; i < values.rows; ++i)
    for (double& value : values.row(i)) value = std::pow(value, power);
}

}  // namespace muster
