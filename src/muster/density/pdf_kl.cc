#include "muster/density/pdf_kl.h"

#include "muster/density/divergence_kernel.h"
#include "muster/density/gaussian_divergence.h"
#include "muster/math/gemm.h"
#include "muster/setkernel/gram.h"

namespace muster {
namespace {

constexpr size_t kTileSide = 64;
constexpr double kWidthGrid[] = {0.125, 0.25, 0.5, 1, 2, 4};
constexpr size_t kItemsForWidth = 500;

// [u, v] with D = (u1 . v2 + v1 . u2) / 2 - d.
struct DivergenceVectors final : Representation {
  std::vector<double> values;

  size_t num_bytes() const override { return values.size() * sizeof(double); }
};

Matrix<double> stack(RepresentedSpan sets, size_t width, bool swapped) {
  Matrix<double> out(sets.size(), width);
  for (size_t i = 0; i < sets.size(); ++i) {
    const std::vector<double>& values = dynamic_cast<const DivergenceVectors&>(*sets[i]).values;
    MUSTER_CHECK(values.size() == width);
    const auto half = values.begin() + static_cast<ptrdiff_t>(width / 2);
    if (swapped)
      std::rotate_copy(values.begin(), half, values.end(), out.row(i).begin());
    else
      std::ranges::copy(values, out.row(i).begin());
  }
  return out;
}

class PdfKl final : public SetKernel {
 public:
  PdfKl(std::optional<double> alpha, SetMixtures mixtures)
      : alpha_(alpha), mixtures_(std::move(mixtures)) {}

  std::shared_ptr<const Representation> represent(const VectorSet& set) const override {
    const Gmm gaussian = mixtures_.fit(set);
    // Means relative to the prior's: what is common to all sets would only cancel.
    std::vector<double> mean(gaussian.dim());
    for (size_t t = 0; t < mean.size(); ++t)
      mean[t] = gaussian.means()(0, t) - mixtures_.prior_mean()[t];
    const auto out = std::make_shared<DivergenceVectors>();
    out->values.resize(width());
    const std::span<double> u = std::span(out->values).first(width() / 2),
                            v = std::span(out->values).last(width() / 2);
    divergence_vectors(mean, gaussian.covariances(), gaussian.kind(), u, v);
    return out;
  }

  std::vector<std::shared_ptr<const SetKernel>> candidates(
      RepresentedSpan training) const override {
    if (alpha_) return {shared_from_this()};
    std::vector<std::shared_ptr<const SetKernel>> out;
    const double unit = unit_factor(training, kItemsForWidth,
                                    [this](auto&&... arguments) { divergences(arguments...); });
    for (double factor : kWidthGrid)
      out.push_back(std::make_shared<PdfKl>(factor * unit, mixtures_));
    return out;
  }

  void gram(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out,
            const Progress& progress) const override {
    MUSTER_CHECK(alpha_.has_value());
    divergences(a, b, out, progress);
    exp_of_negative(*alpha_, out);
  }

  bool from_values_of(const SetKernel& other, MatrixView<double> values) const override {
    raise_to(*alpha_ / *dynamic_cast<const PdfKl&>(other).alpha_, values);
    return true;
  }

  void save(const TensorWriter& out) const override {
    if (alpha_) out.put("alpha", *alpha_);
    mixtures_.save(out.scope("prior"));
  }

  void save_represented(RepresentedSpan sets, const TensorWriter& out) const override {
    out.put("vectors", stack(sets, width(), false));
  }

  Represented load_represented(const TensorReader& in) const override {
    const Matrix<double> vectors = in.matrix<double>("vectors");
    in.require(vectors.cols() == width(), "Gaussians of another dimension");
    Represented out;
    for (size_t i = 0; i < vectors.rows(); ++i) {
      const auto set = std::make_shared<DivergenceVectors>();
      set->values.assign(vectors.row(i).begin(), vectors.row(i).end());
      out.push_back(set);
    }
    return out;
  }

 private:
  size_t width() const { return 2 * divergence_width(mixtures_.dim(), mixtures_.kind()); }

  void divergences(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out,
                   const Progress& progress) const {
    const bool symmetric = a.data() == b.data() && a.size() == b.size();
    const Matrix<double> left = stack(a, width(), false), right = stack(b, width(), true);
    shared_tiles(out, kTileSide, symmetric, progress, [&](const Tile& tile) {
      const MatrixView<double> block(&out(tile.row, tile.col), tile.num_rows, tile.num_cols,
                                     out.stride);
      gemm_nt(left.view().slice_rows(tile.row, tile.num_rows),
              right.view().slice_rows(tile.col, tile.num_cols), block);
      for (size_t i = 0; i < block.rows; ++i)
        for (double& value : block.row(i))
          value = std::max(0.0, value / 2 - static_cast<double>(mixtures_.dim()));
    });
    if (symmetric) mirror_upper(out);
  }

  std::optional<double> alpha_;
  SetMixtures mixtures_;
};

}  // namespace

void PdfKlOptions::fields(Fields& f) {
  factor_field(
      f, "alpha", alpha,
      "factor of the divergence; auto is found by cross-validation around 1 / mean divergence",
      "GEN 4.1");
  gaussian.fields(f);
}

std::shared_ptr<const SetKernel> fit_pdf_kl(const PdfKlOptions& options, const Sample& sample, Rng,
                                            const Progress&) {
  return std::make_shared<PdfKl>(
      options.alpha, SetMixtures(one_gaussian(options.gaussian), sample_moments(sample.vectors)));
}

std::shared_ptr<const SetKernel> load_pdf_kl(const PdfKlOptions& options, const TensorReader& in) {
  const double alpha = in.number("alpha");
  in.require(alpha > 0, "a factor that is not positive");
  return std::make_shared<PdfKl>(
      alpha, SetMixtures::load(one_gaussian(options.gaussian), in.scope("prior")));
}

}  // namespace muster
