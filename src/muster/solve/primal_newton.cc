#include "muster/solve/primal_newton.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "muster/core/parallel.h"
#include "muster/math/cholesky.h"
#include "muster/math/gemm.h"
#include "muster/simd/vector_ops.h"
#include "muster/solve/inner_product.h"
#include "muster/solve/line_search.h"

namespace muster {
namespace {

constexpr size_t kTile = 256;
constexpr int kMaxSteps = 60, kMaxConjugateSteps = 60;
constexpr size_t kLargestMoments = 4096;
// The share of the items that all problems take to be within the margin for their preconditioner.
constexpr double kShareActive = 0.3;

class Together {
 public:
  Together(const PrimalItems& items, const PrimalMoments& moments,
           const std::vector<BinaryProblem>& problems, const std::vector<Costs>& costs)
      : items_(items),
        problems_(problems),
        costs_(costs),
        n_(items.vectors.rows),
        dim_(items.vectors.cols + 1),
        weights_(problems.size(), dim_),
        gradients_(problems.size(), dim_),
        decisions_(problems.size(), n_) {
    double cost = 0;
    for (const Costs& of_problem : costs)
      cost += of_problem.negative / static_cast<double>(costs.size());
    preconditioner_ = moments.factor(2 * cost * kShareActive);
  }

  PrimalSolutions run(double tolerance, Matrix<double> start) {
    std::vector<size_t> going(problems_.size());
    std::iota(going.begin(), going.end(), size_t{0});
    std::vector<double> goals(problems_.size());
    PrimalSolutions out{{}, std::vector<char>(problems_.size())};
    update_gradients(going);
    for (const size_t p : going) {
      const auto positive = static_cast<double>(problems_[p].count(1));
      const auto negative = static_cast<double>(problems_[p].count(-1));
      goals[p] = tolerance * std::max(std::min(positive, negative), 1.0) / (positive + negative) *
                 gradient_norm(p);
    }
    if (!start.empty()) start_from(std::move(start), going);
    for (int step = 0; step < kMaxSteps && !going.empty(); ++step) {
      if (step > 0) update_gradients(going);
      for (const size_t p : going) out.solved[p] = gradient_norm(p) <= goals[p];
      std::erase_if(going, [&](size_t p) { return out.solved[p]; });
      if (!going.empty()) newton_step(going);
    }
    out.weights = std::move(weights_);
    return out;
  }

 private:
  double cost(size_t p, size_t i) const {
    return problems_[p].targets[i] > 0 ? costs_[p].positive : costs_[p].negative;
  }
  bool active(size_t p, size_t i) const {
    const double y = problems_[p].targets[i];
    return y != 0 && y * decisions_(p, i) < 1;
  }
  double gradient_norm(size_t p) const {
    return std::sqrt(inner(gradients_.row(p), gradients_.row(p)));
  }

  void start_from(Matrix<double> weights, const std::vector<size_t>& all) {
    weights_ = std::move(weights);
    const Matrix<float> found = times_items(weights_);
    std::ranges::copy(found.values(), decisions_.values().begin());
    update_gradients(all);
  }

  // out(k, i) = x_i . rows(k)
  Matrix<float> times_items(const Matrix<double>& rows) const {
    Matrix<float> factors(rows.rows(), dim_ - 1), out(rows.rows(), n_);
    for (size_t k = 0; k < rows.rows(); ++k)
      for (size_t t = 0; t + 1 < dim_; ++t)
        factors(k, t) = static_cast<float>(items_.scale * rows(k, t));
    parallel_for(n_, kTile, [&](size_t begin, size_t end) {
      gemm_nt(factors, items_.vectors.slice_rows(begin, end - begin),
              MatrixView<float>(out.data() + begin, rows.rows(), end - begin, n_));
      for (size_t k = 0; k < rows.rows(); ++k)
        for (size_t i = begin; i < end; ++i)
          out(k, i) += static_cast<float>(items_.bias * rows(k, dim_ - 1));
    });
    return out;
  }

  // out(k) += sum_i shares(k, i) x_i
  void add_items(const Matrix<float>& shares, Matrix<double>& out) const {
    Matrix<float> sums(shares.rows(), dim_ - 1);
    gemm_nn_parallel(shares, items_.vectors, sums);
    for (size_t k = 0; k < shares.rows(); ++k) {
      for (size_t t = 0; t + 1 < dim_; ++t)
        out(k, t) += items_.scale * static_cast<double>(sums(k, t));
      double total = 0;
      for (const float share : shares.row(k)) total += static_cast<double>(share);
      out(k, dim_ - 1) += items_.bias * total;
    }
  }

  // w - sum_i 2 C_i y_i max(0, 1 - y_i f_i) x_i
  void update_gradients(const std::vector<size_t>& going) {
    Matrix<double> out(going.size(), dim_);
    Matrix<float> shares(going.size(), n_);
    for (size_t k = 0; k < going.size(); ++k) {
      const size_t p = going[k];
      std::ranges::copy(weights_.row(p), out.row(k).begin());
      for (size_t i = 0; i < n_; ++i) {
        const double y = problems_[p].targets[i];
        shares(k, i) =
            static_cast<float>(-2 * cost(p, i) * y * std::max(0.0, 1 - y * decisions_(p, i)));
      }
    }
    add_items(shares, out);
    for (size_t k = 0; k < going.size(); ++k)
      std::ranges::copy(out.row(k), gradients_.row(going[k]).begin());
  }

  void newton_step(const std::vector<size_t>& going) {
    const Matrix<double> steps = directions(going);
    const Matrix<float> changes = times_items(steps);
    parallel_for(going.size(), 1, [&](size_t k, size_t) {
      const size_t p = going[k];
      const double length = search(p, steps.row(k), changes.row(k));
      for (size_t t = 0; t < dim_; ++t) weights_(p, t) += length * steps(k, t);
      for (size_t i = 0; i < n_; ++i)
        decisions_(p, i) += length * static_cast<double>(changes(k, i));
    });
  }

  // Rough solutions of (I + sum over active items of 2 C_i x_i x_i') s = -gradient.
  Matrix<double> directions(const std::vector<size_t>& going) const {
    // What is left of the gradient: the items within the margin will change.
    constexpr double kReduction = 0.05;
    Matrix<double> solution(going.size(), dim_), residual(going.size(), dim_);
    std::vector<double> goals(going.size());
    for (size_t k = 0; k < going.size(); ++k) {
      for (size_t t = 0; t < dim_; ++t) residual(k, t) = -gradients_(going[k], t);
      goals[k] = kReduction * kReduction * inner(residual.row(k), residual.row(k));
    }
    Matrix<double> preconditioned = precondition(residual), direction = preconditioned;
    std::vector<double> steepness(going.size());
    for (size_t k = 0; k < going.size(); ++k)
      steepness[k] = inner(residual.row(k), preconditioned.row(k));
    std::vector<char> done(going.size());
    for (int step = 0; step < kMaxConjugateSteps; ++step) {
      for (size_t k = 0; k < going.size(); ++k)
        done[k] = done[k] || inner(residual.row(k), residual.row(k)) <= goals[k];
      if (std::ranges::all_of(done, [](char is) { return is; })) break;
      const Matrix<double> image = curvature_times(direction, going);
      for (size_t k = 0; k < going.size(); ++k) {
        const double curvature = inner(direction.row(k), image.row(k));
        done[k] = done[k] || !(curvature > 0 && steepness[k] > 0);
        if (done[k]) continue;
        const double length = steepness[k] / curvature;
        for (size_t t = 0; t < dim_; ++t) {
          solution(k, t) += length * direction(k, t);
          residual(k, t) -= length * image(k, t);
        }
      }
      preconditioned = precondition(residual);
      for (size_t k = 0; k < going.size(); ++k) {
        if (done[k]) continue;
        const double next = inner(residual.row(k), preconditioned.row(k));
        for (size_t t = 0; t < dim_; ++t)
          direction(k, t) = preconditioned(k, t) + next / steepness[k] * direction(k, t);
        steepness[k] = next;
      }
    }
    return solution;
  }

  Matrix<double> precondition(const Matrix<double>& residual) const {
    Matrix<double> out = residual;
    if (preconditioner_)
      parallel_for(out.rows(), 1,
                   [&](size_t k, size_t) { solve_cholesky(*preconditioner_, out.row(k)); });
    return out;
  }

  Matrix<double> curvature_times(const Matrix<double>& directions,
                                 const std::vector<size_t>& going) const {
    Matrix<float> shares = times_items(directions);
    for (size_t k = 0; k < going.size(); ++k)
      for (size_t i = 0; i < n_; ++i)
        shares(k, i) *= active(going[k], i) ? static_cast<float>(2 * cost(going[k], i)) : 0.0f;
    Matrix<double> out = directions;
    add_items(shares, out);
    return out;
  }

  // The t in (0, 1] of least value along the step, by bisection of its derivative, which rises.
  double search(size_t p, std::span<const double> step, std::span<const float> changes) const {
    const double at_zero = inner(weights_.row(p), step), growth = inner(step, step);
    const auto derivative = [&](double t) {
      double sum = at_zero + t * growth;
      for (size_t i = 0; i < n_; ++i) {
        const double y = problems_[p].targets[i], change = static_cast<double>(changes[i]);
        const double slack = 1 - y * (decisions_(p, i) + t * change);
        if (slack > 0) sum -= 2 * cost(p, i) * slack * y * change;
      }
      return sum;
    };
    return derivative(1) <= 0 ? 1 : bisect_rising(derivative);
  }

  const PrimalItems& items_;
  const std::vector<BinaryProblem>& problems_;
  const std::vector<Costs>& costs_;
  size_t n_, dim_;
  Matrix<double> weights_, gradients_;
  Matrix<double> decisions_;  // problems x items
  std::shared_ptr<const Matrix<float>> preconditioner_;
};

}  // namespace

PrimalMoments::PrimalMoments(const PrimalItems& items) {
  const ConstMatrixView& x = items.vectors;
  const size_t d = x.cols;
  if (d + 1 > kLargestMoments) return;
  moments_ = Matrix<float>(d + 1, d + 1);
  const auto squared_scale = static_cast<float>(items.scale * items.scale);
  parallel_for(d, kTile, [&](size_t begin, size_t end) {
    gemm_tn(x, ConstMatrixView(x.data + begin, x.rows, end - begin, x.stride),
            MatrixView<float>(moments_.data() + begin, d, end - begin, d + 1), squared_scale);
  });
  std::vector<double> sums(d);
  for (size_t i = 0; i < x.rows; ++i) axpy(1, x.row(i), sums);
  for (size_t t = 0; t < d; ++t)
    moments_(d, t) = static_cast<float>(items.scale * items.bias * sums[t]);
  moments_(d, d) = static_cast<float>(items.bias * items.bias * static_cast<double>(x.rows));
}

std::shared_ptr<const Matrix<float>> PrimalMoments::factor(double c) const {
  if (moments_.empty() || !(c > 0)) return nullptr;
  const int exponent = static_cast<int>(std::lround(std::log2(c)));
  const std::lock_guard lock(mutex_);
  if (const auto found = factors_.find(exponent); found != factors_.end()) return found->second;
  Matrix<float> out = moments_;
  for (float& value : out.values()) value = std::ldexp(value, exponent);
  for (size_t t = 0; t < out.rows(); ++t) out(t, t) += 1;
  auto made =
      factor_cholesky(out) ? std::make_shared<const Matrix<float>>(std::move(out)) : nullptr;
  return factors_[exponent] = std::move(made);
}

PrimalSolutions solve_primal_together(const PrimalItems& items, const PrimalMoments& moments,
                                      const std::vector<BinaryProblem>& problems,
                                      const std::vector<Costs>& costs, double tolerance,
                                      Matrix<double> start) {
  MUSTER_CHECK(costs.size() == problems.size());
  return Together(items, moments, problems, costs).run(tolerance, std::move(start));
}

}  // namespace muster
