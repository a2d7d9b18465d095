#include "muster/setkernel/pdf_product.h"

#include <cmath>
#include <numbers>

#include "muster/math/gaussian_pairs.h"
#include "muster/setkernel/gram.h"

namespace muster {
namespace {

// Sets a side of a tile: its columns, interleaved for SIMD, are used for this many rows.
constexpr size_t kTileSide = 32;
constexpr double kLargestLog = 700;  // exp(700) is 1e304

// The packed Gaussians of one set.
struct PackedMixture final : Representation {
  Matrix<double> gaussians;         // one a row
  std::vector<double> log_weights;  // log w + (1 - rho)/2 log|S| + the constants of half a pair
  double log_norm = 0;              // 1/2 log K(X, X), or 0

  size_t num_bytes() const override {
    return (gaussians.size() + 2 * log_weights.size()) * sizeof(double);
  }
};

const PackedMixture& mixture_of(const Representation& set) {
  return dynamic_cast<const PackedMixture&>(set);
}

// Gaussians of several sets as columns, filled up to whole SIMD vectors.
struct Columns {
  Matrix<double> entries;
  std::vector<double> log_weights;
  std::vector<size_t> starts;  // of each set's columns, and the end

  explicit Columns(RepresentedSpan sets) : starts{0} {
    for (const auto& set : sets) {
      const PackedMixture& mixture = mixture_of(*set);
      log_weights.insert(log_weights.end(), mixture.log_weights.begin(), mixture.log_weights.end());
      starts.push_back(log_weights.size());
    }
    const size_t lanes = kGaussianPairLanes,
                 padded = (log_weights.size() + lanes - 1) / lanes * lanes;
    entries = Matrix<double>(mixture_of(*sets[0]).gaussians.cols(), padded);
    for (size_t j = 0; j < padded; ++j) {
      const size_t column = std::min(j, log_weights.size() - 1);
      const size_t s =
          static_cast<size_t>(std::ranges::upper_bound(starts, column) - starts.begin()) - 1;
      const auto gaussian = mixture_of(*sets[s]).gaussians.row(column - starts[s]);
      for (size_t e = 0; e < gaussian.size(); ++e) entries(e, j) = gaussian[e];
    }
  }
};

class PdfProduct final : public SetKernel {
 public:
  PdfProduct(double rho, bool normalise, SetMixtures mixtures)
      : rho_(rho), normalise_(normalise), mixtures_(std::move(mixtures)) {}

  std::shared_ptr<const Representation> represent(const VectorSet& set) const override {
    const Gmm mixture = mixtures_.fit(set);
    const size_t d = mixture.dim();
    Matrix<double> packed(mixture.num_components(), packed_gaussian_size(d, mixture.kind()));
    for (size_t m = 0; m < packed.rows(); ++m)
      if (mixture.kind() == CovarianceKind::kFull)
        pack_gaussian(mixture.means().row(m), mixture.covariance(m), packed.row(m));
      else
        pack_gaussian(mixture.means().row(m), mixture.covariances().row(m), packed.row(m));
    return complete(mixture.weights(), std::move(packed));
  }

  void gram(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out,
            const Progress& progress) const override {
    const bool symmetric = a.data() == b.data() && a.size() == b.size();
    for_each_tile(a.size(), b.size(), kTileSide, symmetric, progress, [&](const Tile& tile) {
      const Columns columns(b.subspan(tile.col, tile.num_cols));
      for (size_t i = tile.row; i < tile.row + tile.num_rows; ++i) {
        const PackedMixture& row = mixture_of(*a[i]);
        const std::span<double> target = out.row(i).subspan(tile.col, tile.num_cols);
        std::vector<double> norms(target.size(), row.log_norm);
        for (size_t j = 0; j < norms.size(); ++j) norms[j] += mixture_of(*b[tile.col + j]).log_norm;
        values(row, columns, norms, target);
      }
    });
    if (symmetric) mirror_upper(out);
  }

  void save(TensorWriter out) const override { mixtures_.save(out.scope("prior")); }

  void save_represented(RepresentedSpan sets, TensorWriter out) const override {
    std::vector<int64_t> starts{0};
    std::vector<double> weights, all;
    for (const auto& set : sets) {
      const PackedMixture& mixture = mixture_of(*set);
      starts.push_back(starts.back() + static_cast<int64_t>(mixture.gaussians.rows()));
      weights.insert(weights.end(), mixture.log_weights.begin(), mixture.log_weights.end());
      all.insert(all.end(), mixture.gaussians.values().begin(), mixture.gaussians.values().end());
    }
    const size_t width = packed_gaussian_size(mixtures_.dim(), mixtures_.kind());
    out.put("starts", starts);
    out.put("log_weights", weights);
    out.put("gaussians", MatrixView<const double>(all.data(), weights.size(), width));
  }

  Represented load_represented(TensorReader in) const override {
    const std::vector<int64_t> starts = in.values<int64_t>("starts");
    const std::vector<double> weights = in.values<double>("log_weights");
    const Matrix<double> all = in.matrix<double>("gaussians");
    in.require(all.cols() == packed_gaussian_size(mixtures_.dim(), mixtures_.kind()),
               "Gaussians of another dimension");
    in.require(!starts.empty() && starts.front() == 0 &&
                   starts.back() == static_cast<int64_t>(weights.size()) &&
                   weights.size() == all.rows(),
               "bounds of the stored sets");
    Represented out;
    for (size_t s = 0; s + 1 < starts.size(); ++s) {
      in.require(starts[s] < starts[s + 1], "bounds of the stored sets");
      const auto begin = static_cast<size_t>(starts[s]),
                 count = static_cast<size_t>(starts[s + 1]) - begin;
      const auto mixture = std::make_shared<PackedMixture>();
      mixture->gaussians = Matrix<double>(all.view().slice_rows(begin, count));
      mixture->log_weights.assign(weights.begin() + starts[s], weights.begin() + starts[s + 1]);
      set_norm(mixture);
      out.push_back(mixture);
    }
    return out;
  }

 private:
  // Logarithms of the terms that a set brings into all its pairs, and its norm.
  std::shared_ptr<const Representation> complete(const std::vector<double>& weights,
                                                 Matrix<double> packed) const {
    const auto mixture = std::make_shared<PackedMixture>();
    mixture->gaussians = std::move(packed);
    const auto d = static_cast<double>(mixtures_.dim());
    const double constant =
        (1 - 2 * rho_) * d / 4 * std::log(2 * std::numbers::pi) - d / 4 * std::log(rho_);
    for (size_t m = 0; m < weights.size(); ++m) {
      const double log_det = twice_log_det(mixture->gaussians.row(m)) - d * std::log(2.0);
      mixture->log_weights.push_back(std::log(std::max(weights[m], 1e-300)) + constant +
                                     (1 - rho_) / 2 * log_det);
    }
    set_norm(mixture);
    return mixture;
  }

  // log|S + S|, by the code that pairs go through, so that a set's kernel with itself is 1 to the
  // last digits.
  double twice_log_det(std::span<const double> gaussian) const {
    Matrix<double> columns(gaussian.size(), kGaussianPairLanes);
    for (size_t e = 0; e < gaussian.size(); ++e) std::ranges::fill(columns.row(e), gaussian[e]);
    double log_dets[kGaussianPairLanes], distances[kGaussianPairLanes];
    gaussian_pair_terms(gaussian, columns, mixtures_.dim(), mixtures_.kind(), log_dets, distances);
    return log_dets[0];
  }

  void set_norm(const std::shared_ptr<PackedMixture>& mixture) const {
    if (!normalise_) return;
    // The logarithm of a sum that may be far out of range: relative to its largest term, then once
    // more.
    const std::shared_ptr<const Representation> self[] = {mixture};
    const Columns columns(self);
    double largest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (const bool second : {false, true})
      for_each_term(*mixture, columns, [&](size_t, double log_value) {
        if (second)
          sum += std::exp(log_value - largest);
        else
          largest = std::max(largest, log_value);
      });
    mixture->log_norm = (largest + std::log(sum)) / 2;
  }

  // body(column, log w_i v_j K(p_i, q_j)) for all components of the row and all columns.
  template <class Body>
  void for_each_term(const PackedMixture& row, const Columns& columns, const Body& body) const {
    std::vector<double> log_dets(columns.entries.cols()), distances(columns.entries.cols());
    for (size_t m = 0; m < row.gaussians.rows(); ++m) {
      gaussian_pair_terms(row.gaussians.row(m), columns.entries, mixtures_.dim(), mixtures_.kind(),
                          log_dets, distances);
      for (size_t j = 0; j < columns.log_weights.size(); ++j)
        body(j, row.log_weights[m] + columns.log_weights[j] - log_dets[j] / 2 -
                    rho_ / 2 * distances[j]);
    }
  }

  void values(const PackedMixture& row, const Columns& columns, std::span<const double> log_norms,
              std::span<double> out) const {
    std::ranges::fill(out, 0.0);
    std::vector<size_t> set_of(columns.log_weights.size());
    for (size_t s = 0; s + 1 < columns.starts.size(); ++s)
      for (size_t j = columns.starts[s]; j < columns.starts[s + 1]; ++j) set_of[j] = s;
    for_each_term(row, columns, [&](size_t j, double log_value) {
      out[set_of[j]] += std::exp(std::min(log_value - log_norms[set_of[j]], kLargestLog));
    });
  }

  double rho_;
  bool normalise_;
  SetMixtures mixtures_;
};

GmmOptions small_mixture(const PdfMixtureOptions& options) {
  GmmOptions shape;
  shape.components = options.components;
  shape.iterations = options.iterations;
  shape.covariance = options.covariance;
  shape.init = GmmInit::kSplit;
  shape.weights = options.weights;
  shape.floor = options.floor;
  return shape;
}

}  // namespace

void PdfBhattacharyyaOptions::fields(Fields& f) {
  f("rho", rho,
    "power of the densities: 0.5 is the Bhattacharyya affinity, 1 the expected likelihood")
      .range(0.01, 10)
      .paper("GEN 4.2");
  f("normalise", normalise, "divide by the roots of the sets' kernels with themselves");
  gaussian.fields(f);
}

std::shared_ptr<const SetKernel> fit_pdf_bhattacharyya(const PdfBhattacharyyaOptions& options,
                                                       const Sample& sample, Rng, const Progress&) {
  return std::make_shared<PdfProduct>(
      options.rho, options.normalise,
      SetMixtures(one_gaussian(options.gaussian), sample_moments(sample.vectors)));
}

std::shared_ptr<const SetKernel> load_pdf_bhattacharyya(const PdfBhattacharyyaOptions& options,
                                                        TensorReader in) {
  return std::make_shared<PdfProduct>(
      options.rho, options.normalise,
      SetMixtures::load(one_gaussian(options.gaussian), in.scope("prior")));
}

void PdfMixtureOptions::fields(Fields& f) {
  f("components", components, "Gaussians a set; a set with fewer vectors gets one")
      .range(1, 1000)
      .paper("GEN 4.3");
  f("iterations", iterations, "most EM iterations").range(1, 10000);
  f.choice("covariance", covariance, {"diag", "full"}, "of the Gaussians");
  weights.fields(f);
  f("floor", floor, "least variance, as a share of the training sample's in that dimension")
      .range(1e-9, 1);
  f("normalise", normalise, "divide by the roots of the sets' kernels with themselves");
}

std::shared_ptr<const SetKernel> fit_pdf_mixture(const PdfMixtureOptions& options,
                                                 const Sample& sample, Rng, const Progress&) {
  return std::make_shared<PdfProduct>(
      1.0, options.normalise, SetMixtures(small_mixture(options), sample_moments(sample.vectors)));
}

std::shared_ptr<const SetKernel> load_pdf_mixture(const PdfMixtureOptions& options,
                                                  TensorReader in) {
  return std::make_shared<PdfProduct>(1.0, options.normalise,
                                      SetMixtures::load(small_mixture(options), in.scope("prior")));
}

}  // namespace muster
