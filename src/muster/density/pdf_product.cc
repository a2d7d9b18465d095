#include "muster/density/pdf_product.h"

#include "muster/core/stored_starts.h"
#include "muster/density/mixture_product.h"
#include "muster/math/gaussian_pairs.h"

namespace muster {
namespace {

struct PdfSet final : Representation {
  PackedMixture mixture;

  explicit PdfSet(PackedMixture mixture) : mixture(std::move(mixture)) {}
  size_t num_bytes() const override { return mixture.num_bytes(); }
};

const PackedMixture& mixture_of(const Representation& set) {
  return dynamic_cast<const PdfSet&>(set).mixture;
}

class PdfProduct final : public SetKernel {
 public:
  PdfProduct(double rho, bool normalise, SetMixtures mixtures)
      : product_({.rho = rho, .normalise = normalise}, mixtures.dim(), mixtures.kind()),
        mixtures_(std::move(mixtures)) {}

  std::shared_ptr<const Representation> represent(const VectorSet& set) const override {
    return std::make_shared<PdfSet>(product_.pack(mixtures_.fit(set)));
  }

  void gram(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out,
            const Progress& progress) const override {
    product_.gram(a, b, mixture_of, out, progress);
  }

  void save(const TensorWriter& out) const override { mixtures_.save(out.scope("prior")); }

  void save_represented(RepresentedSpan sets, const TensorWriter& out) const override {
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

  Represented load_represented(const TensorReader& in) const override {
    const Matrix<double> all = in.matrix<double>("gaussians");
    const std::vector<double> weights = in.values<double>("log_weights", all.rows());
    const std::vector<size_t> starts = load_starts(in, all.rows());
    in.require(all.cols() == packed_gaussian_size(mixtures_.dim(), mixtures_.kind()),
               "Gaussians of another dimension");
    Represented out;
    for (size_t s = 0; s + 1 < starts.size(); ++s) {
      in.require(starts[s] < starts[s + 1], "bounds of the stored sets");
      const size_t begin = starts[s], count = starts[s + 1] - begin;
      PackedMixture mixture{Matrix<double>(all.view().slice_rows(begin, count)),
                            {weights.data() + begin, weights.data() + begin + count}};
      product_.set_norm(mixture);
      out.push_back(std::make_shared<PdfSet>(std::move(mixture)));
    }
    return out;
  }

 private:
  MixtureProduct product_;
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
                                                        const TensorReader& in) {
  return std::make_shared<PdfProduct>(
      options.rho, options.normalise,
      SetMixtures::load(one_gaussian(options.gaussian), in.scope("prior")));
}

void PdfMixtureOptions::fields(Fields& f) {
  f("components", components, "Gaussians per set; a set with fewer vectors gets one")
      .range(1, 1000)
      .paper("GEN 4.3");
  f("iterations", iterations, "largest number of EM iterations").range(1, 10000);
  f.choice("covariance", covariance, {"diag", "full"}, "covariances of the Gaussians");
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
                                                  const TensorReader& in) {
  return std::make_shared<PdfProduct>(1.0, options.normalise,
                                      SetMixtures::load(small_mixture(options), in.scope("prior")));
}

}  // namespace muster
