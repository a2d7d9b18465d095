#include "muster/density/klk.h"

#include <cmath>

#include "muster/density/divergence_kernel.h"
#include "muster/density/gaussian_matching.h"
#include "muster/density/monte_carlo.h"
#include "muster/math/gemm.h"
#include "muster/setkernel/gram.h"

namespace muster {
namespace {

constexpr size_t kTileSide = 64, kTileSideOfPairs = 8;
constexpr double kWidthGrid[] = {0.25, 0.5, 1, 2, 4};
// Sets that the mean divergence is taken of: for one-to-one, and if a pair is costly.
constexpr size_t kItemsForWidth = 500, kItemsForCostlyWidth = 60;

// One-to-one: SKL = (u1 . v2 + v1 . u2) / 2 + constant1 + constant2, the sums being over all
// components, relative to the universal mixture's means. One-to-many: constant is minus the set's
// best matches with itself.
struct KlkSet final : AdaptedSet, MatchVectors {
  double constant = 0;
  Draws draws;  // monte-carlo

  using AdaptedSet::AdaptedSet;
  size_t num_bytes() const override {
    return 3 * mixture.covariances().size() * sizeof(double) + MatchVectors::num_bytes() +
           draws.vectors.size() * sizeof(float);
  }
};

const KlkSet& set_of(const Representation& set) { return dynamic_cast<const KlkSet&>(set); }

// sum_i w_i min_j (KL(p_i || q_j) - log w'_j) without what depends on p alone (UGM eqs 16-17).
double best_matches(const KlkSet& p, const KlkSet& q) {
  const Matrix<double> products = match_products(p, q);
  double sum = 0;
  for (size_t i = 0; i < products.rows(); ++i)
    sum += p.mixture.weights()[i] * std::ranges::min(products.row(i));
  return sum / 2;
}

class Klk final : public AdaptedKernel {
 public:
  Klk(const KlkOptions& options, AdaptedSets sets)
      : AdaptedKernel(std::move(sets)), options_(options) {}

  std::vector<std::shared_ptr<const SetKernel>> candidates(
      RepresentedSpan training) const override {
    if (options_.gamma) return {shared_from_this()};
    std::vector<std::shared_ptr<const SetKernel>> out;
    const double unit = unit_factor(
        training, mapping() == Mapping::kOneToOne ? kItemsForWidth : kItemsForCostlyWidth,
        [this](auto&&... arguments) { divergences(arguments...); });
    KlkOptions settled = options_;
    for (double factor : kWidthGrid) {
      settled.gamma = factor * unit;
      out.push_back(std::make_shared<Klk>(settled, sets()));
    }
    return out;
  }

  void gram(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out,
            const Progress& progress) const override {
    MUSTER_CHECK(options_.gamma.has_value());
    divergences(a, b, out, progress);
    exp_of_negative(*options_.gamma, out);
  }

  bool from_values_of(const SetKernel& other, MatrixView<double> values) const override {
    raise_to(*options_.gamma / *dynamic_cast<const Klk&>(other).options_.gamma, values);
    return true;
  }

  void save(const TensorWriter& out) const override {
    if (options_.gamma) out.put("gamma", *options_.gamma);
    AdaptedKernel::save(out);
  }

 private:
  const Gmm& universal_mixture() const { return sets().universal().mixture; }
  Mapping mapping() const { return options_.sets.mapping; }

  std::shared_ptr<const Representation> make_ready(Gmm mixture) const override {
    auto out = std::make_shared<KlkSet>(std::move(mixture));
    if (mapping() == Mapping::kMonteCarlo)
      out->draws = draw(out->mixture, static_cast<size_t>(options_.sets.draws));
    else
      fill(*out);
    return out;
  }

  void fill(KlkSet& set) const {
    const Gmm& mixture = set.mixture;
    if (mapping() == Mapping::kOneToMany) {
      static_cast<MatchVectors&>(set) =
          match_vectors(mixture, repeated_origin(universal_mixture(), mixture.num_components()));
      set.constant = -best_matches(set, set);
      return;
    }
    if (options_.is_mercer() && mixture.kind() == CovarianceKind::kDiagonal)
      return fill_supervector(set);
    std::vector<double> log_dets;
    static_cast<MatchVectors&>(set) =
        match_vectors(mixture, universal_mixture().means(), &log_dets);
    for (size_t m = 0; m < mixture.num_components(); ++m) {
      const double weight = mixture.weights()[m];
      set.constant += weight * (log_weight(mixture, m) -
                                (static_cast<double>(mixture.dim()) + log_dets[m]) / 2);
      for (double& value : set.u.row(m)) value *= weight;
    }
  }

  // If only means differ, SKL = |x1 - x2|^2 with x_i = sqrt(w_i) (mu_i - mu^u_i) / sigma_i: half
  // the work.
  void fill_supervector(KlkSet& set) const {
    const Gmm& mixture = set.mixture;
    set.u = Matrix<double>(mixture.num_components(), mixture.dim());
    set.v = Matrix<double>(mixture.num_components(), mixture.dim());
    for (size_t m = 0; m < set.u.rows(); ++m)
      for (size_t t = 0; t < set.u.cols(); ++t) {
        const double x = (mixture.means()(m, t) - universal_mixture().means()(m, t)) *
                         std::sqrt(mixture.weights()[m] / mixture.covariances()(m, t));
        set.u(m, t) = x;
        set.v(m, t) = -2 * x;
        set.constant += x * x;
      }
  }

  void divergences(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out,
                   const Progress& progress) const {
    const bool symmetric = a.data() == b.data() && a.size() == b.size();
    const size_t side = mapping() == Mapping::kOneToOne ? kTileSide : kTileSideOfPairs;
    shared_tiles(out, side, symmetric, progress, [&](const Tile& tile) {
      const RepresentedSpan rows = a.subspan(tile.row, tile.num_rows),
                            cols = b.subspan(tile.col, tile.num_cols);
      const MatrixView<double> block(&out(tile.row, tile.col), tile.num_rows, tile.num_cols,
                                     out.stride);
      if (mapping() == Mapping::kOneToOne)
        one_to_one(rows, cols, block);
      else
        pair_by_pair(rows, cols, block);
      for (size_t i = 0; i < block.rows; ++i)
        for (double& value : block.row(i)) value = std::max(0.0, value);
    });
    if (symmetric) mirror_upper(out);
  }

  // Component after component, so that what is multiplied stays in cache.
  static void one_to_one(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out) {
    const size_t k = set_of(*a[0]).u.rows(), width = set_of(*a[0]).u.cols();
    const size_t at_once = std::max<size_t>(1, 1024 / width);
    Matrix<double> left(a.size(), 2 * at_once * width), right(b.size(), 2 * at_once * width);
    Matrix<double> part(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i)
      for (size_t j = 0; j < b.size(); ++j)
        out(i, j) = set_of(*a[i]).constant + set_of(*b[j]).constant;
    for (size_t m = 0; m < k; m += at_once) {
      const size_t count = std::min(at_once, k - m) * width;
      const auto stack = [&](RepresentedSpan sets, bool swapped, Matrix<double>& to) {
        for (size_t i = 0; i < sets.size(); ++i) {
          const KlkSet& set = set_of(*sets[i]);
          const double *first = set.u.row(m).data(), *second = set.v.row(m).data();
          if (swapped) std::swap(first, second);
          std::copy_n(first, count, to.row(i).data());
          std::copy_n(second, count, to.row(i).data() + count);
        }
      };
      stack(a, false, left);
      stack(b, true, right);
      gemm_nt(MatrixView<const double>(left.data(), a.size(), 2 * count, left.cols()),
              MatrixView<const double>(right.data(), b.size(), 2 * count, right.cols()), part);
      for (size_t i = 0; i < a.size(); ++i)
        for (size_t j = 0; j < b.size(); ++j) out(i, j) += part(i, j) / 2;
    }
  }

  void pair_by_pair(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out) const {
    for (size_t i = 0; i < a.size(); ++i)
      for (size_t j = 0; j < b.size(); ++j) {
        const KlkSet &p = set_of(*a[i]), &q = set_of(*b[j]);
        if (mapping() == Mapping::kMonteCarlo)
          out(i, j) = symmetric_divergence_by_draws(p.mixture, p.draws, q.mixture, q.draws).value;
        else
          out(i, j) = best_matches(p, q) + best_matches(q, p) + p.constant + q.constant;
      }
  }

  KlkOptions options_;
};

}  // namespace

void KlkOptions::fields(Fields& f) {
  factor_field(f, "gamma", gamma,
               "factor of the divergence; auto is 1 / mean divergence, or the best around it",
               "UGM 4.1");
  sets.fields(f);
}

std::shared_ptr<const SetKernel> fit_klk(const KlkOptions& options, const Sample& sample, Rng rng,
                                         const Progress& progress) {
  return std::make_shared<Klk>(options, AdaptedSets("klk", options.sets, sample, rng, progress));
}

std::shared_ptr<const SetKernel> load_klk(const KlkOptions& options, const TensorReader& in) {
  KlkOptions settled = options;
  settled.gamma = in.number("gamma");
  in.require(*settled.gamma > 0, "a factor that is not positive");
  return std::make_shared<Klk>(settled, AdaptedSets::load(options.sets, in));
}

std::shared_ptr<const SetKernel> make_klk(const KlkOptions& options, Universal universal) {
  return std::make_shared<Klk>(options, AdaptedSets("klk", options.sets, std::move(universal)));
}

}  // namespace muster
