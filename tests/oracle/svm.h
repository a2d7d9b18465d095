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
                                                 const std::vector<double>& C, int steps = 20000) {
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

// C-SVC on a Gram, by pairs: each pair (i, j) in turn moves to its best point with sum y a kept.
// Returns the coefficients a y, and the offset b in `offset`.
inline std::vector<double> c_svc(const Rows& k, const std::vector<double>& y,
                                 const std::vector<double>& C, double& offset, int sweeps = 2000) {
  const size_t n = y.size();
  std::vector<double> a(n), f(n);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < i; ++j) {
        // a_i += y_i t, a_j -= y_j t.
        const double curvature = std::max(1e-12, k[i][i] + k[j][j] - 2 * k[i][j]);
        double t = (y[i] - f[i] - y[j] + f[j]) / curvature;
        const auto clip = [&](double value, double sign, double top) {
          t = sign > 0 ? std::clamp(t, -value, top - value) : std::clamp(t, value - top, value);
        };
        clip(a[i], y[i], C[i]);
        clip(a[j], -y[j], C[j]);
        a[i] += y[i] * t, a[j] -= y[j] * t;
        for (size_t m = 0; m < n; ++m) f[m] += t * (k[i][m] - k[j][m]);
      }
    }
  }
  // Between the largest lower and the smallest upper bound that the optimality conditions set.
  double low = -1e300, high = 1e300;
  for (size_t i = 0; i < n; ++i) {
    const bool up = y[i] > 0 ? a[i] < C[i] - 1e-9 : a[i] > 1e-9;
    const bool down = y[i] > 0 ? a[i] > 1e-9 : a[i] < C[i] - 1e-9;
    if (up) low = std::max(low, y[i] - f[i]);
    if (down) high = std::min(high, y[i] - f[i]);
  }
  offset = 0.5 * (low + high);
  for (size_t i = 0; i < n; ++i) a[i] *= y[i];
  return a;
}

}  // namespace muster::oracle
