#include "muster/classify/linear_svm.h"

#include <chrono>
#include <cmath>

#include "muster/classify/primal_svm.h"
#include "muster/classify/squared_hinge.h"
#include "muster/core/parallel.h"
#include "muster/math/gemm.h"
#include "muster/math/vector_ops.h"

namespace muster {
namespace {

constexpr size_t kTile = 256;
// Up to here the Gram is cheap whatever the dimension; beyond the second one it does not fit.
constexpr size_t kSmallGram = 6000;
constexpr size_t kLargestGram = 20000;
// Cross-validation only ranks values of C, for which rougher solutions do.
constexpr double kCvTolerance = 3;

class LinearSvm final : public Classifier {
 public:
  LinearSvm(Scheme scheme, Matrix<float> weights, std::vector<double> offsets, CvResult fit)
      : scheme_(scheme),
        weights_(std::move(weights)),
        offsets_(std::move(offsets)),
        fit_(std::move(fit)) {}

  bool takes_gram() const override { return false; }
  int num_classes() const override { return fit_.calibration.num_classes(); }
  const FitStatistics* statistics() const override { return &fit_.statistics; }

  Matrix<double> scores(ConstMatrixView vectors) const override {
    MUSTER_CHECK(vectors.cols == weights_.cols());
    Matrix<double> decisions(vectors.rows, weights_.rows());
    parallel_for(vectors.rows, kTile, [&](size_t begin, size_t end) {
      Matrix<float> products(end - begin, weights_.rows());
      gemm_nt(vectors.slice_rows(begin, end - begin), weights_, products);
      for (size_t i = begin; i < end; ++i)
        for (size_t p = 0; p < offsets_.size(); ++p)
          decisions(i, p) = static_cast<double>(products(i - begin, p)) + offsets_[p];
    });
    return class_scores(decisions, num_classes(), scheme_);
  }

  Matrix<double> probabilities(MatrixView<const double> scores) const override {
    return fit_.calibration.probabilities(scores);
  }

  void save(TensorWriter out) const override {
    out.put("weights", weights_);
    out.put("offsets", offsets_);
    fit_.calibration.save(out.scope("calibration"));
    fit_.statistics.save(out.scope("statistics"));
  }

 private:
  Scheme scheme_;
  Matrix<float> weights_;        // a row a two-class problem
  std::vector<double> offsets_;  // the bias's share of each
  CvResult fit_;
};

void require_finite(ConstMatrixView vectors) {
  for (size_t i = 0; i < vectors.rows; ++i)
    if (!std::isfinite(dot(vectors.row(i), vectors.row(i))))
      throw data_error(
          "linear-svm: the vector of training item {} has a value that is not a finite number; "
          "look for NaN or infinite values in its source and leave the item out",
          i);
}

// The root of 1 / mean squared norm.
double norm_scale(ConstMatrixView vectors) {
  double sum = 0;
  for (size_t i = 0; i < vectors.rows; ++i) sum += dot(vectors.row(i), vectors.row(i));
  return sum > 0 ? std::sqrt(static_cast<double>(vectors.rows) / sum) : 1;
}

// scale^2 X X^T + bias^2, in tiles of the upper triangle.
Matrix<float> scaled_gram(ConstMatrixView vectors, double scale, double bias,
                          const Progress& progress) {
  const size_t n = vectors.rows, tiles = (n + kTile - 1) / kTile;
  Matrix<float> gram(n, n);
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t a = 0; a < tiles; ++a)
    for (size_t b = a; b < tiles; ++b) pairs.emplace_back(a * kTile, b * kTile);
  ProgressStep step(progress, "Gram matrix", pairs.size());
  const auto factor = static_cast<float>(scale * scale), constant = static_cast<float>(bias * bias);
  parallel_for(pairs.size(), 1, [&](size_t first, size_t last) {
    for (size_t t = first; t < last; ++t) {
      const auto [row, col] = pairs[t];
      const size_t rows = std::min(kTile, n - row), cols = std::min(kTile, n - col);
      gemm_nt(vectors.slice_rows(row, rows), vectors.slice_rows(col, cols),
              MatrixView<float>(&gram(row, col), rows, cols, n), factor);
      // Within a diagonal tile the upper half is copied down: the product need not be symmetric.
      for (size_t i = row; i < row + rows; ++i)
        for (size_t j = std::max(i, col); j < col + cols; ++j)
          gram(j, i) = gram(i, j) = gram(i, j) + constant;
      step.tick();
    }
  });
  return gram;
}

Costs scaled(Costs weights, double C) { return {weights.positive * C, weights.negative * C}; }

// What both ways of solving have in common: a path over the grid for cross-validation, and a fit.
struct Fitted {
  Matrix<float> weights;
  std::vector<double> offsets;
  int64_t iterations = 0;
};

class GramWay {
 public:
  GramWay(const LinearSvmOptions& options, ConstMatrixView vectors, double scale,
          const Progress& progress)
      : options_(options),
        vectors_(vectors),
        scale_(scale),
        gram_(scaled_gram(vectors, scale, options.bias, progress)) {}

  int64_t path(const CvTask& task, MatrixView<double> decisions) const {
    return squared_hinge_path(gram_, options_.tolerance, task, decisions);
  }

  Fitted fit(const std::vector<BinaryProblem>& problems, double C, const Rng& rng,
             const Progress& progress) const {
    const size_t n = gram_.rows(), count = problems.size();
    Matrix<float> coefficients(count, n);
    Fitted out{Matrix<float>(count, vectors_.cols), std::vector<double>(count), 0};
    std::vector<int64_t> changes(count);
    ProgressStep step(progress, "training", count);
    parallel_for(count, 1, [&](size_t begin, size_t end) {
      for (size_t p = begin; p < end; ++p) {
        if (problems[p].two_sided()) {
          DualSolution solution(n);
          changes[p] = squared_hinge_fit(gram_, problems[p], options_.class_weights, C,
                                         options_.tolerance, rng.derive(p), solution);
          for (size_t i = 0; i < n; ++i) {
            const double signed_alpha = solution.alphas[i] * problems[p].targets[i];
            out.offsets[p] += signed_alpha * options_.bias * options_.bias;
            coefficients(p, i) = static_cast<float>(signed_alpha * scale_ * scale_);
          }
        } else {
          out.offsets[p] = one_sided_decision(problems[p]);
        }
        step.tick();
      }
    });
    for (const int64_t c : changes) out.iterations += c;
    parallel_for(vectors_.cols, kTile, [&](size_t begin, size_t end) {
      gemm_nn(coefficients, ConstMatrixView(vectors_.data + begin, n, end - begin, vectors_.stride),
              MatrixView<float>(out.weights.data() + begin, count, end - begin, vectors_.cols));
    });
    return out;
  }

 private:
  const LinearSvmOptions& options_;
  ConstMatrixView vectors_;
  double scale_;
  Matrix<float> gram_;
};

class PrimalWay {
 public:
  PrimalWay(const LinearSvmOptions& options, ConstMatrixView vectors, double scale)
      : options_(options),
        dim_(vectors.cols),
        scale_(scale),
        primal_(vectors, scale, options.bias) {}

  int64_t path(const CvTask& task, MatrixView<double> decisions) const {
    std::vector<double> weights(dim_ + 1);
    for (size_t c = 0; c < task.grid.size(); ++c) {
      primal_.solve(task.problem, scaled(task.weights, task.grid[c]),
                    std::min(0.5, kCvTolerance * options_.tolerance), weights);
      for (size_t j = 0; j < task.held_out.size(); ++j)
        decisions(c, j) = primal_.decision(task.held_out[j], weights);
    }
    return static_cast<int64_t>(task.grid.size());
  }

  Fitted fit(const std::vector<BinaryProblem>& problems, double C, const Rng&,
             const Progress& progress) const {
    const size_t count = problems.size();
    Fitted out{Matrix<float>(count, dim_), std::vector<double>(count), static_cast<int64_t>(count)};
    ProgressStep step(progress, "training", count);
    parallel_for(count, 1, [&](size_t begin, size_t end) {
      for (size_t p = begin; p < end; ++p) {
        if (problems[p].two_sided()) {
          std::vector<double> weights(dim_ + 1);
          const Costs sides = side_weights(problems[p], options_.class_weights);
          primal_.solve(problems[p], scaled(sides, C), options_.tolerance, weights);
          for (size_t c = 0; c < dim_; ++c)
            out.weights(p, c) = static_cast<float>(weights[c] * scale_);
          out.offsets[p] = weights[dim_] * options_.bias;
        } else {
          out.offsets[p] = one_sided_decision(problems[p]);
        }
        step.tick();
      }
    });
    return out;
  }

 private:
  const LinearSvmOptions& options_;
  size_t dim_;
  double scale_;
  PrimalSvm primal_;
};

std::vector<double> mean_of_rows(ConstMatrixView vectors) {
  std::vector<double> mean(vectors.cols);
  for (size_t i = 0; i < vectors.rows; ++i)
    for (size_t c = 0; c < vectors.cols; ++c) mean[c] += vectors(i, c);
  for (double& value : mean) value /= static_cast<double>(vectors.rows);
  return mean;
}

Matrix<float> subtract(ConstMatrixView vectors, const std::vector<double>& mean) {
  Matrix<float> out(vectors);
  parallel_for(out.rows(), kTile, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      for (size_t c = 0; c < out.cols(); ++c)
        out(i, c) = static_cast<float>(static_cast<double>(out(i, c)) - mean[c]);
  });
  return out;
}

// w.(x - mean) + b = w.x + (b - w.mean)
void fold_mean(const std::vector<double>& mean, Fitted& fitted) {
  for (size_t p = 0; p < fitted.offsets.size(); ++p)
    for (size_t c = 0; c < mean.size(); ++c) fitted.offsets[p] -= fitted.weights(p, c) * mean[c];
}

template <class Way>
std::unique_ptr<Classifier> fit_by(const Way& way, const LinearSvmOptions& options,
                                   const Labels& labels, const std::vector<BinaryProblem>& problems,
                                   const std::vector<double>& mean, const Rng& rng,
                                   const Progress& progress,
                                   std::chrono::steady_clock::time_point start) {
  CvResult chosen = cross_validate(
      options, labels, problems,
      [&](const CvTask& task, MatrixView<double> decisions) { return way.path(task, decisions); },
      rng.derive("cross-validation"), progress);
  Fitted fitted = way.fit(problems, chosen.statistics.C, rng.derive("fit"), progress);
  fold_mean(mean, fitted);
  chosen.statistics.iterations += fitted.iterations;
  chosen.statistics.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return std::make_unique<LinearSvm>(options.scheme, std::move(fitted.weights),
                                     std::move(fitted.offsets), std::move(chosen));
}

bool use_gram(LinearSolver solver, size_t n, size_t dim) {
  if (solver != LinearSolver::kAuto) return solver == LinearSolver::kGram;
  return n <= kSmallGram || (n < dim && n <= kLargestGram);
}

}  // namespace

std::unique_ptr<Classifier> fit_linear_svm(const LinearSvmOptions& options, ConstMatrixView vectors,
                                           const Labels& labels, Rng rng,
                                           const Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  OptionsOf<LinearSvmOptions>(options).validate("linear-svm");
  MUSTER_CHECK(vectors.rows == labels.size());
  const std::vector<BinaryProblem> problems = make_problems("linear-svm", labels, options.scheme);
  require_finite(vectors);
  std::vector<double> mean;
  Matrix<float> centred;
  if (options.centre) {
    mean = mean_of_rows(vectors);
    centred = subtract(vectors, mean);
    vectors = centred;
  }
  const double scale = norm_scale(vectors);
  if (use_gram(options.solver, vectors.rows, vectors.cols))
    return fit_by(GramWay(options, vectors, scale, progress), options, labels, problems, mean, rng,
                  progress, start);
  return fit_by(PrimalWay(options, vectors, scale), options, labels, problems, mean, rng, progress,
                start);
}

std::unique_ptr<Classifier> load_linear_svm(const LinearSvmOptions& options, TensorReader in) {
  CvResult fit{FitStatistics::load(in.scope("statistics")),
               Calibration::load(in.scope("calibration"))};
  Matrix<float> weights = in.matrix<float>("weights");
  std::vector<double> offsets = in.values<double>("offsets");
  in.require(weights.rows() == offsets.size(), "weights and offsets differ in number");
  in.require(offsets.size() == num_problems(fit.calibration.num_classes(), options.scheme,
                                            fit.calibration.multi_label()),
             "number of weight vectors does not fit the number of classes and the scheme");
  return std::make_unique<LinearSvm>(options.scheme, std::move(weights), std::move(offsets),
                                     std::move(fit));
}

}  // namespace muster
