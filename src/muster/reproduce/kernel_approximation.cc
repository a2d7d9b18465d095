#include <cmath>

#include "muster/codebook/kernel_basis.h"
#include "muster/reproduce/studies.h"
#include "muster/setfeature/emk_cksvd.h"
#include "muster/setfeature/emk_fourier.h"

namespace muster {
namespace {

constexpr size_t kSamples = 200;
constexpr int kLearned = 20, kRandom = 200, kIterations = 50;
constexpr double kRange = 10, kStep = 0.1;

// phi of one number.
std::vector<float> mapped(const SetFeature& feature, double x) {
  VectorSet set;
  set.vectors = Matrix<float>(1, 1);
  set.vectors(0, 0) = static_cast<float>(x);
  std::vector<float> out(feature.dim());
  feature.encode(set, out);
  return out;
}

struct Approximation {
  std::vector<CurvePoint> points;
  double largest_error = 0, mean_squared_error = 0;
};

// phi(x) . phi(0) over the range, beside k(x, 0).
Approximation approximation(const SetFeature& feature) {
  Approximation out;
  const std::vector<float> centre = mapped(feature, 0);
  const int steps = static_cast<int>(std::lround(kRange / kStep));
  for (int i = -steps; i <= steps; ++i) {
    const double x = i * kStep;
    double dot = 0;
    const std::vector<float> image = mapped(feature, x);
    for (size_t d = 0; d < image.size(); ++d) dot += static_cast<double>(image[d]) * centre[d];
    const double error = std::abs(dot - std::exp(-x * x));
    out.largest_error = std::max(out.largest_error, error);
    out.mean_squared_error += error * error / (2 * steps + 1);
    out.points.push_back({x, dot, {}, {}});
  }
  return out;
}

std::vector<CurvePoint> exact_points() {
  std::vector<CurvePoint> out;
  const int steps = static_cast<int>(std::lround(kRange / kStep));
  for (int i = -steps; i <= steps; ++i)
    out.push_back({i * kStep, std::exp(-i * kStep * i * kStep), {}, {}});
  return out;
}

Curve kernel_curve(const char* title, const char* name, const Approximation& approximation) {
  return {title, "x - y", "k(x, y)",
          "",    false,   {{"exact", false, exact_points()}, {name, false, approximation.points}}};
}

ComparisonRow row(const char* name, double ours) {
  ComparisonRow out;
  out.name = name;
  out.ours = ours;
  out.verdict = kPlotOnly;
  return out;
}

}  // namespace

Results kernel_approximation_study(uint64_t seed, const Progress& progress) {
  Rng draws = Rng(seed).derive("samples");
  Sample sample{Matrix<float>(kSamples, 1), std::vector<int>(kSamples, -1), 0};
  for (float& value : sample.vectors.values())
    value = static_cast<float>(kRange * (2 * draws.uniform() - 1));

  EmkCksvdOptions learned;
  learned.basis.dim = kLearned;
  learned.basis.samples = kSamples;
  learned.basis.iterations = kIterations;
  const Rng stream = Rng(seed).derive("basis");
  const Approximation by_basis = approximation(fit_emk_cksvd(learned, sample, stream, progress));
  EmkFourierOptions random;
  random.dim = kRandom;
  random.orthogonal = false;  // as in the paper
  const Approximation by_fourier =
      approximation(fit_emk_fourier(random, sample, Rng(seed).derive("fourier"), progress));

  KernelBasisOptions basis = learned.basis;
  basis.init =
      BasisInit::kRandom;  // from k-means centres there is little left to learn in one dimension
  const LocalKernel kernel(learned.local);
  const KernelBasis fitted =
      fit_kernel_basis(basis, kernel, sample.vectors, Rng(seed).derive("descent"), progress);
  CurveSeries objective{"20 learned features", false, {}};
  for (size_t t = 0; t < fitted.objective_per_iteration.size(); ++t)
    objective.points.push_back(
        {static_cast<double>(t + 1), fitted.objective_per_iteration[t], {}, {}});

  Results out;
  out.comparison = {row("20 learned features: largest error", by_basis.largest_error),
                    row("200 random features: largest error", by_fourier.largest_error),
                    row("20 learned features: mean squared error", by_basis.mean_squared_error),
                    row("200 random features: mean squared error", by_fourier.mean_squared_error)};
  out.curves = {
      kernel_curve("The kernel by 20 learned features", "20 learned features", by_basis),
      {"The objective while learning from random vectors",
       "Iteration",
       "Objective",
       "",
       false,
       {objective}},
      kernel_curve("The kernel by 200 random features", "200 random features", by_fourier)};
  return out;
}

}  // namespace muster
