#include "muster/solve/logistic_newton.h"

#include <algorithm>
#include <cmath>

#include "muster/math/gemm.h"
#include "muster/solve/inner_product.h"

namespace muster {
namespace {

constexpr int kMaxConjugateSteps = 200;
// What conjugate gradients leave of the gradient when they stop.
constexpr double kLoosest = 0.1, kTightest = 1e-5;
constexpr double kArmijo = 1e-4;
constexpr double kSmallestStep = 1e-6;

// log(1 + exp(z)) without overflow.
double softplus(double z) { return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))); }

// Problems whose steps go together: each by itself, or all of a multinomial one. Numbers of a group
// (step lengths, objectives) are kept once per group.
struct Groups {
  size_t problems;
  bool joint;

  size_t count() const { return joint ? 1 : problems; }
  size_t of(size_t p) const { return joint ? 0 : p; }
  // <a, b> of each group.
  std::vector<double> inner_products(const Matrix<double>& a, const Matrix<double>& b) const {
    std::vector<double> out(count());
    for (size_t p = 0; p < problems; ++p) out[of(p)] += inner(a.row(p), b.row(p));
    return out;
  }
};

class Newton {
 public:
  Newton(const Matrix<float>& gram, const LogisticNewton::Product& exact, const LogisticTask& task,
         LogisticSolution& solution)
      : gram_(gram),
        exact_(exact),
        task_(task),
        solution_(solution),
        groups_{task.targets.rows(), task.multinomial},
        probabilities_(task.targets.rows(), task.targets.cols()),
        residual_(probabilities_) {}

  void run(double tolerance, int max_steps) {
    exact_(solution_.coefficients, solution_.decisions);
    ++solution_.products;
    active_.assign(groups_.count(), true);
    Convergence& convergence = solution_.convergence = {};
    while (true) {
      update_gradient();
      const std::vector<double> violations = largest_violations();
      for (size_t g = 0; g < active_.size(); ++g)
        if (violations[g] <= tolerance) active_[g] = false;
      convergence.violation = std::ranges::max(violations);
      convergence.reached = convergence.violation <= tolerance;
      if (convergence.steps >= max_steps || std::ranges::none_of(active_, std::identity())) return;
      ++convergence.steps;
      step();
    }
  }

 private:
  // loss of problem p (or of all, once) at decisions `f`.
  std::vector<double> losses(const Matrix<double>& f) const {
    std::vector<double> out(groups_.count());
    const size_t n = f.cols(), problems = f.rows();
    if (!groups_.joint) {
      for (size_t p = 0; p < problems; ++p)
        for (size_t i = 0; i < n; ++i)
          if (task_.costs(p, i) > 0)
            out[p] += task_.costs(p, i) * softplus(task_.targets(p, i) > 0 ? -f(p, i) : f(p, i));
      return out;
    }
    for (size_t i = 0; i < n; ++i) {
      if (task_.costs(0, i) == 0) continue;
      double top = f(0, i), sum = 0, own = 0;
      for (size_t p = 1; p < problems; ++p) top = std::max(top, f(p, i));
      for (size_t p = 0; p < problems; ++p) {
        sum += std::exp(f(p, i) - top);
        own += task_.targets(p, i) * f(p, i);
      }
      out[0] += task_.costs(0, i) * (top + std::log(sum) - own);
    }
    return out;
  }

  std::vector<double> objectives(const Matrix<double>& a, const Matrix<double>& f) const {
    std::vector<double> out = losses(f);
    const std::vector<double> norms = groups_.inner_products(a, f);
    for (size_t g = 0; g < out.size(); ++g) out[g] += 0.5 * norms[g];
    return out;
  }

  // Probabilities at the decisions, and R.
  void update_gradient() {
    const Matrix<double>& f = solution_.decisions;
    for (size_t i = 0; i < f.cols(); ++i) {
      double top = 0, sum = 0;
      if (groups_.joint) {
        top = f(0, i);
        for (size_t p = 1; p < f.rows(); ++p) top = std::max(top, f(p, i));
        for (size_t p = 0; p < f.rows(); ++p) sum += std::exp(f(p, i) - top);
      }
      for (size_t p = 0; p < f.rows(); ++p) {
        probabilities_(p, i) =
            groups_.joint ? std::exp(f(p, i) - top) / sum : 1 / (1 + std::exp(-f(p, i)));
        residual_(p, i) = solution_.coefficients(p, i) +
                          task_.costs(p, i) * (probabilities_(p, i) - task_.targets(p, i));
      }
    }
  }

  std::vector<double> largest_violations() const {
    std::vector<double> out(groups_.count());
    for (size_t p = 0; p < residual_.rows(); ++p)
      for (size_t i = 0; i < residual_.cols(); ++i)
        if (task_.costs(p, i) > 0)
          out[groups_.of(p)] =
              std::max(out[groups_.of(p)], std::abs(residual_(p, i)) / task_.costs(p, i));
    return out;
  }

  // out = W v: second derivatives of the loss at the decisions.
  void curve(const Matrix<double>& v, Matrix<double>& out) const {
    for (size_t i = 0; i < v.cols(); ++i) {
      double mean = 0;
      if (groups_.joint)
        for (size_t p = 0; p < v.rows(); ++p) mean += probabilities_(p, i) * v(p, i);
      for (size_t p = 0; p < v.rows(); ++p) {
        const double q = probabilities_(p, i);
        out(p, i) = task_.costs(p, i) * q * (groups_.joint ? v(p, i) - mean : (1 - q) * v(p, i));
      }
    }
  }

  void rough_product(const Matrix<double>& v, Matrix<double>& out) {
    rounded_ = Matrix<float>(v.rows(), v.cols());
    product_ = Matrix<float>(v.rows(), v.cols());
    for (size_t i = 0; i < v.size(); ++i) rounded_.data()[i] = static_cast<float>(v.data()[i]);
    gemm_nt(rounded_, gram_, product_);
    for (size_t i = 0; i < v.size(); ++i) out.data()[i] = static_cast<double>(product_.data()[i]);
    ++solution_.products;
  }

  // D with (I + W G) D = -R in the groups that are active, zero in others.
  Matrix<double> direction() {
    const size_t problems = residual_.rows(), n = residual_.cols();
    Matrix<double> d(problems, n), r = residual_, image(problems, n);
    for (size_t p = 0; p < problems; ++p)
      for (double& value : r.row(p)) value = active_[groups_.of(p)] ? -value : 0;
    Matrix<double> gr(problems, n);
    rough_product(r, gr);
    Matrix<double> towards = r, g_towards = gr;
    std::vector<double> norms = groups_.inner_products(r, gr);
    std::vector<double> wanted(groups_.count());
    for (size_t g = 0; g < wanted.size(); ++g) {
      const double forcing = std::clamp(std::sqrt(norms[g]), kTightest, kLoosest);
      wanted[g] = forcing * forcing * norms[g];
    }
    std::vector<bool> going = active_;
    for (int step = 0; step < kMaxConjugateSteps; ++step) {
      for (size_t g = 0; g < going.size(); ++g) going[g] = going[g] && norms[g] > wanted[g];
      if (std::ranges::none_of(going, std::identity())) break;
      curve(g_towards, image);
      for (size_t i = 0; i < image.size(); ++i) image.data()[i] += towards.data()[i];
      const std::vector<double> curvatures = groups_.inner_products(g_towards, image);
      for (size_t p = 0; p < problems; ++p) {
        const size_t g = groups_.of(p);
        if (going[g] && !(curvatures[g] > 0)) going[g] = false;  // rounding
        const double length = going[g] ? norms[g] / curvatures[g] : 0;
        for (size_t i = 0; i < n; ++i) {
          d(p, i) += length * towards(p, i);
          r(p, i) -= length * image(p, i);
        }
      }
      rough_product(r, gr);
      const std::vector<double> next = groups_.inner_products(r, gr);
      for (size_t p = 0; p < problems; ++p) {
        const size_t g = groups_.of(p);
        const double keep = going[g] && norms[g] > 0 ? next[g] / norms[g] : 0;
        for (size_t i = 0; i < n; ++i) {
          towards(p, i) = going[g] ? r(p, i) + keep * towards(p, i) : 0;
          g_towards(p, i) = going[g] ? gr(p, i) + keep * g_towards(p, i) : 0;
        }
      }
      norms = next;
    }
    return d;
  }

  // One Newton step with backtracking; a group that cannot fall any more by rounding is done.
  void step() {
    const Matrix<double> d = direction();
    Matrix<double> gd(d.rows(), d.cols());
    exact_(d, gd);
    ++solution_.products;
    const std::vector<double> before = objectives(solution_.coefficients, solution_.decisions);
    const std::vector<double> slopes = groups_.inner_products(gd, residual_);
    std::vector<double> lengths(groups_.count(), 1.0);
    std::vector<bool> searching = active_;
    for (size_t g = 0; g < searching.size(); ++g)
      if (!active_[g] || !(slopes[g] < 0)) searching[g] = active_[g] = false, lengths[g] = 0;
    Matrix<double> a, f;
    while (true) {
      a = solution_.coefficients;
      f = solution_.decisions;
      for (size_t p = 0; p < a.rows(); ++p)
        for (size_t i = 0; i < a.cols(); ++i) {
          a(p, i) += lengths[groups_.of(p)] * d(p, i);
          f(p, i) += lengths[groups_.of(p)] * gd(p, i);
        }
      const std::vector<double> after = objectives(a, f);
      for (size_t g = 0; g < searching.size(); ++g) {
        if (!searching[g]) continue;
        if (after[g] <= before[g] + kArmijo * lengths[g] * slopes[g]) {
          searching[g] = false;
        } else if ((lengths[g] /= 2) < kSmallestStep) {
          lengths[g] = 0;
          searching[g] = active_[g] = false;
        }
      }
      if (std::ranges::none_of(searching, std::identity())) break;
    }
    // The last trial has every length as it was accepted, but for those just set to zero.
    for (size_t p = 0; p < a.rows(); ++p) {
      if (lengths[groups_.of(p)] == 0) continue;
      std::ranges::copy(a.row(p), solution_.coefficients.row(p).begin());
      std::ranges::copy(f.row(p), solution_.decisions.row(p).begin());
    }
  }

  const Matrix<float>& gram_;
  const LogisticNewton::Product& exact_;
  const LogisticTask& task_;
  LogisticSolution& solution_;
  Groups groups_;
  Matrix<double> probabilities_;
  Matrix<double> residual_;  // R
  std::vector<bool> active_;
  Matrix<float> rounded_, product_;
};

}  // namespace

void LogisticNewton::solve(const LogisticTask& task, double tolerance, int max_steps,
                           LogisticSolution& solution) const {
  if (task.targets.rows() == 0) return;
  Newton(gram_, exact_, task, solution).run(tolerance, max_steps);
}

}  // namespace muster
