#include "muster/density/ppk.h"

#include <cmath>

#include "muster/density/gaussian_matching.h"
#include "muster/density/mixture_product.h"
#include "muster/density/monte_carlo.h"
#include "muster/setkernel/gram.h"

namespace muster {
namespace {

constexpr size_t kTileSide = 16;

struct PpkSet final : AdaptedSet {
  PackedMixture packed;  // closed forms
  MatchVectors vectors;  // matched
  Draws draws;           // monte-carlo
  double log_norm = 0;   // of the draws, and matched

  using AdaptedSet::AdaptedSet;
  size_t num_bytes() const override {
    return 3 * mixture.covariances().size() * sizeof(double) + packed.num_bytes() +
           vectors.num_bytes() + draws.vectors.size() * sizeof(float);
  }
};

const PpkSet& set_of(const Representation& set) { return dynamic_cast<const PpkSet&>(set); }

class Ppk final : public AdaptedKernel {
 public:
  Ppk(const PpkOptions& options, AdaptedSets sets)
      : AdaptedKernel(std::move(sets)),
        options_(options),
        product_({.rho = options.rho,
                  .weight_power = options.weights == PpkWeights::kPower ? options.rho : 1,
                  .one_to_one = options.sets.mapping == Mapping::kOneToOne,
                  .normalise = options.normalise && options.sets.mapping != Mapping::kMatched},
                 this->sets().dim(), this->sets().kind()) {}

  void gram(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out,
            const Progress& progress) const override {
    if (options_.is_mercer()) {
      const auto mixture_of = [](const Representation& set) -> const PackedMixture& {
        return set_of(set).packed;
      };
      product_.gram(a, b, mixture_of, out, progress);
      return;
    }
    const bool symmetric = a.data() == b.data() && a.size() == b.size();
    shared_tiles(out, kTileSide, symmetric, progress, [&](const Tile& tile) {
      for (size_t i = tile.row; i < tile.row + tile.num_rows; ++i)
        for (size_t j = tile.col; j < tile.col + tile.num_cols; ++j) {
          const PpkSet &p = set_of(*a[i]), &q = set_of(*b[j]);
          out(i, j) = by_draws() ? product_by_draws(p.mixture, p.draws, q.mixture, q.draws,
                                                    options_.rho, p.log_norm + q.log_norm)
                                       .value
                                 : (matched(p, q) + matched(q, p)) / 2;
        }
    });
    if (symmetric) mirror_upper(out);
  }

 private:
  bool by_draws() const { return options_.sets.mapping == Mapping::kMonteCarlo; }

  // From p to q.
  double matched(const PpkSet& p, const PpkSet& q) const {
    constexpr double kLargestLog = 700;  // exp(700) is 1e304
    const double log_value =
        product_.log_matched(p.packed, q.packed, matching(p.vectors, q.vectors));
    return std::exp(std::min(log_value - p.log_norm - q.log_norm, kLargestLog));
  }

  std::shared_ptr<const Representation> make_ready(Gmm mixture) const override {
    auto out = std::make_shared<PpkSet>(std::move(mixture));
    if (by_draws()) {
      out->draws = draw(out->mixture, static_cast<size_t>(options_.sets.draws));
      if (options_.normalise) out->log_norm = log_self_product(out->draws, options_.rho) / 2;
      return out;
    }
    out->packed = product_.pack(out->mixture);
    if (options_.is_mercer()) return out;
    out->vectors = match_vectors(
        out->mixture, repeated_origin(sets().universal().mixture, out->mixture.num_components()));
    if (options_.normalise)
      out->log_norm =
          product_.log_matched(out->packed, out->packed, matching(out->vectors, out->vectors)) / 2;
    return out;
  }

  PpkOptions options_;
  MixtureProduct product_;
};

}  // namespace

void PpkOptions::fields(Fields& f) {
  f("rho", rho,
    "power of the densities: 0.5 is the Bhattacharyya kernel, 1 the expected likelihood")
      .range(0.01, 10)
      .paper("UGM 3.1");
  f.choice(
       "weights", weights, {"power", "plain"},
       "weight of a pair of Gaussians: the product of their weights, to the power rho or as it is")
      .paper("UGM 3.1");
  f("normalise", normalise, "divide by the roots of the sets' kernels with themselves");
  sets.fields(f, true);
}

std::shared_ptr<const SetKernel> fit_ppk(const PpkOptions& options, const Sample& sample, Rng rng,
                                         const Progress& progress) {
  return std::make_shared<Ppk>(options, AdaptedSets("ppk", options.sets, sample, rng, progress));
}

std::shared_ptr<const SetKernel> load_ppk(const PpkOptions& options, const TensorReader& in) {
  return std::make_shared<Ppk>(options, AdaptedSets::load(options.sets, in));
}

std::shared_ptr<const SetKernel> make_ppk(const PpkOptions& options, Universal universal) {
  return std::make_shared<Ppk>(options, AdaptedSets("ppk", options.sets, std::move(universal)));
}

}  // namespace muster
