#include "muster/pyramid/l1_embedding.h"

#include <algorithm>
#include <cmath>

#include "muster/pyramid/pyramid_set.h"
#include "muster/setkernel/gram.h"

namespace muster {
namespace {

class L1Embedding final : public SetKernel {
 public:
  explicit L1Embedding(BinGrid grid) : grid_(std::move(grid)) {}

  std::shared_ptr<const Representation> represent(const VectorSet& set) const override {
    return make_pyramid_set("l1-embedding", grid_, set.vectors);
  }

  void gram(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out,
            const Progress& progress) const override {
    pyramid_intersections(
        grid_, a, b, [this](int from, int to) { return weight_of_levels(from, to); }, out,
        progress);
    const bool symmetric = a.data() == b.data() && a.size() == b.size();
    const double all_levels =
        weight_of_levels(0, kForever) * static_cast<double>(grid_.num_pyramids());
    for (size_t i = 0; i < a.size(); ++i)
      for (size_t j = symmetric ? i + 1 : 0; j < b.size(); ++j) {
        const auto both = static_cast<double>(pyramid_set(*a[i]).size + pyramid_set(*b[j]).size);
        out(i, j) = both * all_levels - 2 * out(i, j);
      }
    if (!symmetric) return;
    for (size_t i = 0; i < a.size(); ++i) out(i, i) = 0;
    mirror_upper(out);
  }

  void save(const TensorWriter& out) const override { grid_.save(out.scope("grid")); }
  void save_represented(RepresentedSpan sets, const TensorWriter& out) const override {
    save_pyramid_sets(sets, out);
  }
  Represented load_represented(const TensorReader& in) const override {
    return load_pyramid_sets(grid_, in);
  }

 private:
  // sum of 2^i over the levels from .. to-1 that there are.
  double weight_of_levels(int from, int to) const {
    const int past_last = grid_.num_planes() + 1;
    const int end = to == kForever ? past_last : std::min(to, past_last);
    return std::ldexp(1.0, end) - std::ldexp(1.0, std::min(from, end));
  }

  BinGrid grid_;
};

}  // namespace

std::shared_ptr<const SetKernel> fit_l1_embedding(const L1EmbeddingOptions& options,
                                                  const Sample& sample, Rng rng, const Progress&) {
  const double scale = options.scale.value_or(automatic_scale(sample.vectors));
  return std::make_shared<L1Embedding>(
      BinGrid(scale, sample.vectors, static_cast<size_t>(options.pyramids), options.shift, rng));
}

std::shared_ptr<const SetKernel> load_l1_embedding(const L1EmbeddingOptions&,
                                                   const TensorReader& in) {
  return std::make_shared<L1Embedding>(BinGrid(in.scope("grid")));
}

}  // namespace muster
