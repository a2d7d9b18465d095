#include "muster/setfeature/emk_fourier.h"

#include <Eigen/QR>
#include <cmath>
#include <numbers>
#include <numeric>

#include "muster/core/parallel.h"
#include "muster/math/elementwise.h"
#include "muster/math/gemm.h"

namespace muster {
namespace {

// Angles of this many vectors at a time: with D = 1000 a block of 256 KiB stays in the second-level cache.
constexpr size_t kAnglesPerBlock = 65536;

class EmkFourier final : public SetStatistic {
 public:
  EmkFourier(Matrix<float> frequencies, std::vector<float> phases)
      : frequencies_(std::move(frequencies)), phases_(std::move(phases)) {}

  size_t input_dim() const override { return frequencies_.cols(); }
  size_t sum_dim() const override { return frequencies_.rows(); }

  void accumulate(ConstMatrixView vectors, std::span<float> sum) const override {
    const size_t dim = sum_dim();
    const size_t block_rows = std::clamp<size_t>(kAnglesPerBlock / dim, 8, 1024);
    thread_local AlignedVector<float> buffer;
    buffer.resize(block_rows * dim);
    for (size_t begin = 0; begin < vectors.rows; begin += block_rows) {
      const size_t count = std::min(block_rows, vectors.rows - begin);
      const MatrixView<float> angles(buffer.data(), count, dim);
      gemm_nt(vectors.slice_rows(begin, count), frequencies_, angles);
      add_cosines_of_rows(angles, phases_, sum);
    }
  }

  void finish(std::span<const float> sum, size_t count, std::span<float> out) const override {
    const auto scale = static_cast<float>(std::sqrt(2.0 / static_cast<double>(sum.size())) / static_cast<double>(count));
    for (size_t t = 0; t < sum.size(); ++t) out[t] = scale * sum[t];
  }

  void save(TensorWriter out) const override {
    out.put("frequencies", frequencies_);
    out.put("phases", phases_);
  }

 private:
  Matrix<float> frequencies_;  // D x d
  std::vector<float> phases_;
};

// Rows of standard normals, d at a time made orthogonal without changing their lengths.
Matrix<double> normal_rows(size_t rows, size_t d, bool orthogonal, Rng rng) {
  Matrix<double> out(rows, d);
  for (double& value : out.values()) value = rng.normal();
  if (!orthogonal) return out;
  for (size_t begin = 0; begin < rows; begin += d) {
    const size_t count = std::min(d, rows - begin);
    Eigen::MatrixXd block(static_cast<Eigen::Index>(d), static_cast<Eigen::Index>(d));
    for (Eigen::Index i = 0; i < block.size(); ++i) block.data()[i] = rng.normal();
    const Eigen::MatrixXd q = Eigen::HouseholderQR<Eigen::MatrixXd>(block).householderQ();
    for (size_t r = 0; r < count; ++r) {
      double length = 0;
      for (double value : out.row(begin + r)) length += value * value;
      length = std::sqrt(length);
      for (size_t t = 0; t < d; ++t)
        out(begin + r, t) = length * q(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(r));
    }
  }
  return out;
}

Matrix<double> draw_frequencies(const EmkFourierOptions& options, double gamma, size_t d, Rng rng) {
  const auto rows = static_cast<size_t>(options.dim * options.draws);
  if (options.local.kernel == LocalKernelKind::kLaplacian) {
    Matrix<double> out(rows, d);
    for (double& value : out.values()) value = gamma * std::tan(std::numbers::pi * (rng.uniform() - 0.5));
    return out;
  }
  Matrix<double> out = normal_rows(rows, d, options.orthogonal, rng.derive("directions"));
  Rng scales = rng.derive("scales");
  for (size_t r = 0; r < rows; ++r) {
    const double spread =
        options.local.kernel == LocalKernelKind::kCauchy ? -std::log(1 - scales.uniform()) : 1.0;
    for (double& value : out.row(r)) value *= std::sqrt(2 * gamma * spread);
  }
  return out;
}

// How much the averages of each feature differ between the classes: their variance.
std::vector<double> spread_over_classes(const EmkFourier& features, const Sample& sample, const Progress& progress) {
  std::vector<std::vector<size_t>> members(static_cast<size_t>(sample.num_classes));
  for (size_t i = 0; i < sample.labels.size(); ++i)
    if (sample.labels[i] >= 0) members[static_cast<size_t>(sample.labels[i])].push_back(i);
  std::erase_if(members, [](const auto& rows) { return rows.empty(); });
  Matrix<float> sums(members.size(), features.sum_dim());
  ProgressStep step(progress, "choosing features", members.size());
  parallel_for(members.size(), 1, [&](size_t c, size_t) {
    features.accumulate(select_rows(sample.vectors.view(), members[c]), sums.row(c));
    step.tick();
  });
  std::vector<double> out(features.sum_dim());
  for (size_t t = 0; t < out.size(); ++t) {
    double mean = 0, squares = 0;
    for (size_t c = 0; c < members.size(); ++c) {
      const double average = sums(c, t) / static_cast<double>(members[c].size());
      mean += average / static_cast<double>(members.size());
      squares += average * average / static_cast<double>(members.size());
    }
    out[t] = squares - mean * mean;
  }
  return out;
}

void require_shift_invariant(LocalKernelKind kind) {
  if (kind == LocalKernelKind::kGaussian || kind == LocalKernelKind::kLaplacian || kind == LocalKernelKind::kCauchy)
    return;
  throw usage_error("emk-fourier: option kernel takes gaussian, laplacian or cauchy only, whose Fourier transforms are "
                    "densities; for other kernels use emk-cksvd");
}

}  // namespace

void EmkFourierOptions::fields(Fields& f) {
  f("dim", dim, "number of random Fourier features (D)").range(1, 1e6).paper("EMK 3.2");
  local.fields(f);
  f("orthogonal", orthogonal, "orthogonal directions: same kernel, smaller error").paper("Yu et al. 2016");
  f("draws", draws,
    "frequencies drawn for each that is kept: those whose averages differ most between the classes; 1 keeps all")
      .range(1, 1000)
      .paper("Sinha & Duchi 2016");
  pooling.fields(f);
}

SetFeature fit_emk_fourier(const EmkFourierOptions& options, const Sample& sample, Rng rng, const Progress& progress) {
  require_shift_invariant(options.local.kernel);
  const double gamma = LocalKernel(options.local, sample.vectors, rng).gamma();
  const Matrix<double> drawn = draw_frequencies(options, gamma, sample.vectors.cols(), rng.derive("frequencies"));
  Matrix<float> frequencies(drawn.rows(), drawn.cols());
  for (size_t i = 0; i < drawn.size(); ++i) frequencies.data()[i] = static_cast<float>(drawn.data()[i]);
  Rng phase_rng = rng.derive("phases");
  std::vector<float> phases(drawn.rows());
  for (float& phase : phases)
    phase = static_cast<float>(phase_rng.uniform(-std::numbers::pi, std::numbers::pi));
  if (options.draws > 1) {
    const std::vector<double> spread = spread_over_classes(EmkFourier(frequencies, phases), sample, progress);
    std::vector<size_t> kept(drawn.rows());
    std::iota(kept.begin(), kept.end(), size_t{0});
    std::ranges::stable_sort(kept, std::greater<>(), [&](size_t t) { return spread[t]; });
    kept.resize(static_cast<size_t>(options.dim));
    frequencies = select_rows(frequencies.view(), kept);
    std::vector<float> of_kept;
    for (const size_t t : kept) of_kept.push_back(phases[t]);
    phases = std::move(of_kept);
  }
  return SetFeature(std::make_unique<EmkFourier>(std::move(frequencies), std::move(phases)), options.pooling);
}

SetFeature load_emk_fourier(const EmkFourierOptions& options, TensorReader in) {
  Matrix<float> frequencies = in.matrix<float>("frequencies");
  std::vector<float> phases = in.values<float>("phases");
  in.require(frequencies.rows() == phases.size() && !phases.empty(), "frequencies and phases differ in number");
  return SetFeature(std::make_unique<EmkFourier>(std::move(frequencies), std::move(phases)), options.pooling);
}

}  // namespace muster
