// Support vector machines by the plainest convergent method in double precision.
#pragma once

#include <algorithm>
#include <vector>

namespace muster::oracle {

using Rows = std::vector<std::vector<double>>;

inline double inner(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// 1/2 |w|^2 + sum_i C_i max(0, 1 - y_i w.x_i)^2.
inline double squared_hinge_objective(const Rows& x, const std::vector<double>& y,
                                      const std::vector<double>& C, const std::vector<double>& w) {
  double value = 0.5 * inner(w, w);
  for (size_t i = 0; i < x.size(); ++i) {
    const double slack = std::max(0.0, 1 - y[i] * inner(w, x[i]));
    value += C[i] * slack * slack;
  }
  return value;
}

// Its minimiser, by gradient descent with the step 1 / L and Nesterov's momentum, restarted.
inline std::vector<double> squared_hinge_weights(const Rows& x, const std::vector<double>& y,
                                                 const std::vector<double>& C, int steps = 200000) {
  double lipschitz = 1;
  for (size_t i = 0; i < x.size(); ++i) lipschitz += 2 * C[i] * inner(x[i], x[i]);
  std::vector<double> w(x[0].size()), v = w, last = w;
  for (int step = 0, age = 0; step < steps; ++step, ++age) {
    std::vector<double> gradient = v;
    for (size_t i = 0; i < x.size(); ++i) {
      const double slack = std::max(0.0, 1 - y[i] * inner(v, x[i]));
      for (size_t d = 0; d < v.size(); ++d) gradient[d] -= 2 * C[i] * slack * y[i] * x[i][d];
    }
    last = w;
    double along = 0;
    for (size_t d = 0; d < v.size(); ++d) {
      w[d] = v[d] - gradient[d] / lipschitz;
      along += gradient[d] * (w[d] - last[d]);
    }
    if (along > 0) age = 0;
    for (size_t d = 0; d < v.size(); ++d) v[d] = w[d] + age / (age + 3.0) * (w[d] - last[d]);
  }
  return w;
}

}  // namespace muster::oracle
