#include "muster/setkernel/sum_match.h"

#include "muster/math/elementwise.h"
#include "muster/setkernel/gram.h"
#include "muster/setkernel/stored_set.h"

namespace muster {
namespace {

// A block of local kernel values of 128 x 256 floats is 128 KiB: it stays in the second-level cache.
constexpr size_t kBlockRows = 128;
constexpr size_t kBlockCols = 256;
constexpr size_t kSetsPerTile = 8;

double mean_of_pairs(const LocalKernel& local, const StoredSet& x, const StoredSet& y) {
  const size_t m = x.vectors.rows(), n = y.vectors.rows();
  if (m == 0 || n == 0) return 0;
  thread_local Matrix<float> buffer(kBlockRows, kBlockCols);
  const std::span<const float> half_x(x.half_norms), half_y(y.half_norms);
  double sum = 0;
  for (size_t i = 0; i < m; i += kBlockRows)
    for (size_t j = 0; j < n; j += kBlockCols) {
      const size_t rows = std::min(kBlockRows, m - i), cols = std::min(kBlockCols, n - j);
      const MatrixView<float> block(buffer.data(), rows, cols);
      local.block(x.vectors.view().slice_rows(i, rows), half_x.subspan(i, rows),
                  y.vectors.view().slice_rows(j, cols), half_y.subspan(j, cols), block);
      sum += sum_of_values(block);
    }
  return sum / (static_cast<double>(m) * static_cast<double>(n));
}

class SumMatch final : public SetKernel {
 public:
  explicit SumMatch(LocalKernel local) : local_(std::move(local)) {}

  std::shared_ptr<const Representation> represent(const VectorSet& set) const override {
    return std::make_shared<StoredSet>(set.vectors);
  }

  void gram(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out,
            const Progress& progress) const override {
    const bool symmetric = a.data() == b.data() && a.size() == b.size();
    for_each_tile(a.size(), b.size(), kSetsPerTile, symmetric, progress, [&](const Tile& tile) {
      for (size_t i = tile.row; i < tile.row + tile.num_rows; ++i)
        for (size_t j = symmetric ? std::max(i, tile.col) : tile.col; j < tile.col + tile.num_cols; ++j)
          out(i, j) = mean_of_pairs(local_, stored_set(*a[i]), stored_set(*b[j]));
    });
    if (symmetric) mirror_upper(out);
  }

  void save(TensorWriter out) const override { out.put("gamma", local_.gamma()); }
  void save_represented(RepresentedSpan sets, TensorWriter out) const override { save_stored_sets(sets, out); }
  Represented load_represented(TensorReader in) const override { return load_stored_sets(in); }

 private:
  LocalKernel local_;
};

}  // namespace

std::shared_ptr<const SetKernel> fit_sum_match(const SumMatchOptions& options, const Sample& sample, Rng rng,
                                               const Progress&) {
  return std::make_shared<SumMatch>(LocalKernel(options.local, sample.vectors, rng));
}

std::shared_ptr<const SetKernel> load_sum_match(const SumMatchOptions& options, TensorReader in) {
  SumMatchOptions settled = options;
  settled.local.gamma = in.number("gamma");
  return std::make_shared<SumMatch>(LocalKernel(settled.local));
}

}  // namespace muster
