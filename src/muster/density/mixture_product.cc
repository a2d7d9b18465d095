#include "muster/density/mixture_product.h"

#include <cmath>
#include <numbers>

#include "muster/math/gaussian_pairs.h"
#include "muster/setkernel/gram.h"

namespace muster {
namespace {

// Sets per side of a tile: its columns, interleaved for SIMD, are used for this many rows.
constexpr size_t kTileSide = 32;
constexpr double kLargestLog = 700;  // exp(700) is 1e304
constexpr double kLeastWeight = 1e-300;

}  // namespace

// Gaussians of several mixtures as columns, filled up to whole SIMD vectors: a group for each
// component, which a component meets alone (one-to-one) or after one another (one-to-many). Groups
// stay in cache, and their rows are too short to fall on the same lines of it.
struct MixtureProduct::Columns {
  Matrix<double> entries;
  std::vector<double> log_weights;
  std::vector<uint32_t> mixture_of;  // of each column

  void add(const PackedMixture& mixture, size_t component, uint32_t index) {
    gaussians.push_back(mixture.gaussians.row(component));
    log_weights.push_back(mixture.log_weights[component]);
    mixture_of.push_back(index);
  }
  void interleave() {
    const size_t lanes = kGaussianPairLanes,
                 padded = (gaussians.size() + lanes - 1) / lanes * lanes;
    entries = Matrix<double>(gaussians[0].size(), padded);
    for (size_t j = 0; j < padded; ++j) {
      const std::span<const double> gaussian = gaussians[std::min(j, gaussians.size() - 1)];
      for (size_t e = 0; e < gaussian.size(); ++e) entries(e, j) = gaussian[e];
    }
  }

  static std::vector<Columns> of(std::span<const PackedMixture* const> mixtures, bool one_to_one) {
    size_t most = 0;
    for (const PackedMixture* mixture : mixtures)
      most = std::max(most, mixture->log_weights.size());
    std::vector<Columns> groups(most);
    for (uint32_t s = 0; s < mixtures.size(); ++s) {
      MUSTER_CHECK(!one_to_one || mixtures[s]->log_weights.size() == groups.size());
      for (size_t m = 0; m < mixtures[s]->log_weights.size(); ++m)
        groups[m].add(*mixtures[s], m, s);
    }
    for (Columns& group : groups) group.interleave();
    return groups;
  }

 private:
  std::vector<std::span<const double>> gaussians;
};

// body(mixture, log v_i v'_j K(p_i, q_j)) for all components of the row and the columns that they
// are compared with.
template <class Body>
void MixtureProduct::for_each_term(const PackedMixture& row, const std::vector<Columns>& columns,
                                   const Body& body) const {
  std::vector<double> log_dets, distances;
  const auto meet = [&](size_t m, const Columns& met) {
    log_dets.resize(met.entries.cols());
    distances.resize(met.entries.cols());
    gaussian_pair_terms(row.gaussians.row(m), met.entries, dim_, kind_, log_dets, distances);
    for (size_t j = 0; j < met.log_weights.size(); ++j)
      body(met.mixture_of[j], row.log_weights[m] + met.log_weights[j] - log_dets[j] / 2 -
                                  shape_.rho / 2 * distances[j]);
  };
  if (shape_.one_to_one) {
    for (size_t m = 0; m < row.gaussians.rows(); ++m) meet(m, columns[m]);
    return;
  }
  for (const Columns& group : columns)
    for (size_t m = 0; m < row.gaussians.rows(); ++m) meet(m, group);
}

PackedMixture MixtureProduct::pack(const Gmm& mixture) const {
  const size_t k = mixture.num_components();
  PackedMixture out{Matrix<double>(k, packed_gaussian_size(dim_, kind_)), {}};
  const auto d = static_cast<double>(dim_);
  const double rho = shape_.rho, constant = (1 - 2 * rho) * d / 4 * std::log(2 * std::numbers::pi) -
                                            d / 4 * std::log(rho);
  for (size_t m = 0; m < k; ++m) {
    if (kind_ == CovarianceKind::kFull)
      pack_gaussian(mixture.means().row(m), mixture.covariance(m), out.gaussians.row(m));
    else
      pack_gaussian(mixture.means().row(m), mixture.covariances().row(m), out.gaussians.row(m));
    const double log_det =
        pair_terms(out.gaussians.row(m), out.gaussians.row(m)).log_det - d * std::log(2.0);
    out.log_weights.push_back(shape_.weight_power *
                                  std::log(std::max(mixture.weights()[m], kLeastWeight)) +
                              constant + (1 - rho) / 2 * log_det);
  }
  set_norm(out);
  return out;
}

// By the code that many pairs go through, so that a set's kernel with itself is 1 to the last
// digits.
MixtureProduct::PairTerms MixtureProduct::pair_terms(std::span<const double> a,
                                                     std::span<const double> b) const {
  Matrix<double> columns(b.size(), kGaussianPairLanes);
  for (size_t e = 0; e < b.size(); ++e) std::ranges::fill(columns.row(e), b[e]);
  double log_dets[kGaussianPairLanes], distances[kGaussianPairLanes];
  gaussian_pair_terms(a, columns, dim_, kind_, log_dets, distances);
  return {log_dets[0], distances[0]};
}

double MixtureProduct::log_matched(const PackedMixture& p, const PackedMixture& q,
                                   std::span<const uint32_t> matches) const {
  std::vector<double> terms;
  for (size_t i = 0; i < matches.size(); ++i) {
    const PairTerms pair = pair_terms(p.gaussians.row(i), q.gaussians.row(matches[i]));
    terms.push_back(p.log_weights[i] + q.log_weights[matches[i]] - pair.log_det / 2 -
                    shape_.rho / 2 * pair.distance);
  }
  const double largest = std::ranges::max(terms);
  double sum = 0;
  for (const double term : terms) sum += std::exp(term - largest);
  return largest + std::log(sum);
}

void MixtureProduct::set_norm(PackedMixture& mixture) const {
  if (!shape_.normalise) return;
  // The logarithm of a sum that may be far out of range: relative to its largest term, then once
  // more.
  const PackedMixture* self[] = {&mixture};
  const std::vector<Columns> columns = Columns::of(self, shape_.one_to_one);
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (const bool second : {false, true})
    for_each_term(mixture, columns, [&](size_t, double log_value) {
      if (second)
        sum += std::exp(log_value - largest);
      else
        largest = std::max(largest, log_value);
    });
  mixture.log_norm = (largest + std::log(sum)) / 2;
}

void MixtureProduct::gram(RepresentedSpan a, RepresentedSpan b, MixtureOf mixture_of,
                          MatrixView<double> out, const Progress& progress) const {
  const bool symmetric = a.data() == b.data() && a.size() == b.size();
  shared_tiles(out, kTileSide, symmetric, progress, [&](const Tile& tile) {
    std::vector<const PackedMixture*> mixtures;
    for (size_t j = 0; j < tile.num_cols; ++j) mixtures.push_back(&mixture_of(*b[tile.col + j]));
    const std::vector<Columns> columns = Columns::of(mixtures, shape_.one_to_one);
    for (size_t i = tile.row; i < tile.row + tile.num_rows; ++i) {
      const PackedMixture& row = mixture_of(*a[i]);
      const std::span<double> target = out.row(i).subspan(tile.col, tile.num_cols);
      std::ranges::fill(target, 0.0);
      for_each_term(row, columns, [&](size_t j, double log_value) {
        const double log_scaled = log_value - row.log_norm - mixtures[j]->log_norm;
        target[j] += std::exp(std::min(log_scaled, kLargestLog));
      });
    }
  });
  if (symmetric) mirror_upper(out);
}

}  // namespace muster
