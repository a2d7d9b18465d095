#include "muster/setfeature/emk_fourier.h"

#include <Eigen/QR>
#include <cmath>
#include <numbers>
#include <numeric>
#include <variant>

#include "muster/core/parallel.h"
#include "muster/math/gemm.h"
#include "muster/simd/elementwise.h"
#include "muster/simd/hadamard.h"

namespace muster {
namespace {

// Angles of this many vectors at a time: with D = 1000 a block of 256 KiB stays in the second-level
// cache.
constexpr size_t kAnglesPerBlock = 65536;

class EmkFourier final : public SetStatistic {
 public:
  using Frequencies = std::variant<Matrix<float>, HadamardDirections>;  // rows of W, or a product
                                                                        // that stands for them

  EmkFourier(Frequencies frequencies, std::vector<float> phases)
      : frequencies_(std::move(frequencies)), phases_(std::move(phases)) {}

  size_t input_dim() const override { return dense() ? dense()->cols() : fast().dim(); }
  size_t sum_dim() const override { return phases_.size(); }

  void accumulate(ConstMatrixView vectors, std::span<float> sum) const override {
    if (!dense()) return fast().add_cosines(vectors, phases_, sum);
    const size_t dim = sum_dim();
    const size_t block_rows = std::clamp<size_t>(kAnglesPerBlock / dim, 8, 1024);
    thread_local AlignedVector<float> buffer;
    buffer.resize(block_rows * dim);
    for (size_t begin = 0; begin < vectors.rows; begin += block_rows) {
      const size_t count = std::min(block_rows, vectors.rows - begin);
      const MatrixView<float> angles(buffer.data(), count, dim);
      gemm_nt(vectors.slice_rows(begin, count), *dense(), angles);
      add_cosines_of_rows(angles, phases_, sum);
    }
  }

  void finish(std::span<const float> sum, size_t count, std::span<float> out) const override {
    const auto scale = static_cast<float>(scale_of(count));
    for (size_t t = 0; t < sum.size(); ++t) out[t] = scale * sum[t];
  }

  void pull_back(std::span<const float>, size_t count, std::span<const double> gradient,
                 std::span<double> out) const override {
    for (size_t t = 0; t < out.size(); ++t) out[t] = scale_of(count) * gradient[t];
  }

  void save(const TensorWriter& out) const override {
    out.put("phases", phases_);
    if (dense()) return out.put("frequencies", *dense());
    out.put("signs", fast().signs());
    out.put("lengths", fast().lengths());
    out.put("input_dim", static_cast<double>(fast().dim()));
  }

 private:
  const Matrix<float>* dense() const { return std::get_if<Matrix<float>>(&frequencies_); }
  const HadamardDirections& fast() const { return std::get<HadamardDirections>(frequencies_); }
  double scale_of(size_t count) const {
    return std::sqrt(2.0 / static_cast<double>(sum_dim())) / static_cast<double>(count);
  }

  Frequencies frequencies_;
  std::vector<float> phases_;
};

double length_of(std::span<const double> values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares);
}

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
      const double length = length_of(out.row(begin + r));
      for (size_t t = 0; t < d; ++t)
        out(begin + r, t) = length * q(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(r));
    }
  }
  return out;
}

// By row, what a row of standard normals is multiplied by for the kernel's density.
std::vector<double> draw_scales(const EmkFourierOptions& options, double gamma, size_t rows,
                                Rng rng) {
  std::vector<double> out(rows);
  for (double& scale : out) {
    const double spread =
        options.local.kernel == LocalKernelKind::kCauchy ? -std::log(1 - rng.uniform()) : 1.0;
    scale = std::sqrt(2 * gamma * spread);
  }
  return out;
}

Matrix<float> draw_frequencies(const EmkFourierOptions& options, double gamma, size_t d, Rng rng) {
  const auto rows = static_cast<size_t>(options.dim * options.draws);
  Matrix<float> out(rows, d);
  if (options.local.kernel == LocalKernelKind::kLaplacian) {
    for (float& value : out.values())
      value = static_cast<float>(gamma * std::tan(std::numbers::pi * (rng.uniform() - 0.5)));
    return out;
  }
  const Matrix<double> directions =
      normal_rows(rows, d, options.orthogonal, rng.derive("directions"));
  const std::vector<double> scales = draw_scales(options, gamma, rows, rng.derive("scales"));
  for (size_t r = 0; r < rows; ++r)
    for (size_t t = 0; t < d; ++t) out(r, t) = static_cast<float>(scales[r] * directions(r, t));
  return out;
}

// Fast transforms take a power of two; padding by more than a third would cost the orthogonality
// that they are for.
bool takes_hadamard(const EmkFourierOptions& options, size_t d) {
  return options.hadamard && options.orthogonal && options.draws == 1 &&
         options.local.kernel != LocalKernelKind::kLaplacian &&
         4 * d >= 3 * HadamardDirections::padded_dim(d);
}

HadamardDirections draw_hadamard(const EmkFourierOptions& options, double gamma, size_t d,
                                 Rng rng) {
  const auto rows = static_cast<size_t>(options.dim);
  const Matrix<double> normals =
      normal_rows(rows, HadamardDirections::padded_dim(d), false, rng.derive("directions"));
  const std::vector<double> scales = draw_scales(options, gamma, rows, rng.derive("scales"));
  std::vector<float> lengths(rows);
  for (size_t r = 0; r < rows; ++r)
    lengths[r] = static_cast<float>(scales[r] * length_of(normals.row(r)));
  return HadamardDirections(d, std::move(lengths), rng.derive("signs"));
}

// How much the averages of each feature differ between the classes: their variance.
std::vector<double> spread_over_classes(const EmkFourier& features, const Sample& sample,
                                        const Progress& progress) {
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
  if (kind == LocalKernelKind::kGaussian || kind == LocalKernelKind::kLaplacian ||
      kind == LocalKernelKind::kCauchy)
    return;
  throw usage_error(
      "emk-fourier: option kernel takes gaussian, laplacian or cauchy only, whose Fourier "
      "transforms are densities; for other kernels use emk-cksvd");
}

}  // namespace

void EmkFourierOptions::fields(Fields& f) {
  f("dim", dim, "number of random Fourier features (D)").range(1, 1e6).paper("EMK 3.2");
  local.fields(f);
  f("orthogonal", orthogonal, "orthogonal directions: same kernel, smaller error")
      .paper("Yu et al. 2016");
  f("hadamard", hadamard,
    "directions by fast Hadamard transforms, d log d per block instead of d^2; used if d is at "
    "least 48 and 3/4 of a power of two")
      .paper("Yu et al. 2016");
  f("draws", draws,
    "frequencies drawn for each one that is kept; kept are those whose averages differ most "
    "between the classes, and 1 keeps all")
      .range(1, 1000)
      .paper("Sinha & Duchi 2016");
  pooling.fields(f);
}

SetFeature fit_emk_fourier(const EmkFourierOptions& options, const Sample& sample, Rng rng,
                           const Progress& progress) {
  require_shift_invariant(options.local.kernel);
  const double gamma = LocalKernel(options.local, sample.vectors, rng).gamma();
  const size_t d = sample.vectors.cols();
  std::vector<float> phases(static_cast<size_t>(options.dim * options.draws));
  Rng phase_rng = rng.derive("phases");
  for (float& phase : phases)
    phase = static_cast<float>(phase_rng.uniform(-std::numbers::pi, std::numbers::pi));
  if (takes_hadamard(options, d))
    return SetFeature(
        std::make_unique<EmkFourier>(draw_hadamard(options, gamma, d, rng.derive("frequencies")),
                                     std::move(phases)),
        options.pooling);
  Matrix<float> frequencies = draw_frequencies(options, gamma, d, rng.derive("frequencies"));
  if (options.draws > 1) {
    const std::vector<double> spread =
        spread_over_classes(EmkFourier(frequencies, phases), sample, progress);
    std::vector<size_t> kept(phases.size());
    std::iota(kept.begin(), kept.end(), size_t{0});
    std::ranges::stable_sort(kept, std::greater<>(), [&](size_t t) { return spread[t]; });
    kept.resize(static_cast<size_t>(options.dim));
    frequencies = select_rows(frequencies.view(), kept);
    std::vector<float> of_kept;
    for (const size_t t : kept) of_kept.push_back(phases[t]);
    phases = std::move(of_kept);
  }
  return SetFeature(std::make_unique<EmkFourier>(std::move(frequencies), std::move(phases)),
                    options.pooling);
}

SetFeature load_emk_fourier(const EmkFourierOptions& options, const TensorReader& in) {
  std::vector<float> phases = in.values<float>("phases");
  in.require(!phases.empty(), "there are no phases");
  if (in.has("frequencies")) {
    Matrix<float> frequencies = in.matrix<float>("frequencies");
    in.require(frequencies.rows() == phases.size(), "frequencies and phases differ in number");
    return SetFeature(std::make_unique<EmkFourier>(std::move(frequencies), std::move(phases)),
                      options.pooling);
  }
  const size_t d = in.count("input_dim");
  in.require(d >= 1 && d <= 1'000'000, "the dimension of the vectors is out of range");
  std::vector<float> lengths = in.values<float>("lengths");
  Matrix<float> signs = in.matrix<float>("signs");
  in.require(lengths.size() == phases.size(), "lengths and phases differ in number");
  in.require(signs.rows() == HadamardDirections::sign_rows(d, lengths.size()) &&
                 signs.cols() == HadamardDirections::padded_dim(d),
             "signs do not fit the vectors' dimension");
  return SetFeature(
      std::make_unique<EmkFourier>(HadamardDirections(d, std::move(lengths), std::move(signs)),
                                   std::move(phases)),
      options.pooling);
}

}  // namespace muster
