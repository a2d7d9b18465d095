#include "muster/setfeature/kernel_map.h"

#include "muster/math/gemm.h"
#include "muster/math/nearest.h"
#include "muster/simd/elementwise.h"

namespace muster {
namespace {

// Kernel values of this many pairs at a time: 256 KiB stay in the second-level cache.
constexpr size_t kValuesPerBlock = 65536;

}  // namespace

KernelMap::KernelMap(LocalKernel kernel, Matrix<float> basis, Matrix<float> projection,
                     std::vector<double> objective)
    : kernel_(std::move(kernel)),
      basis_(std::move(basis)),
      half_norms_(half_squared_norms(basis_)),
      projection_(std::move(projection)),
      objective_(std::move(objective)) {
  MUSTER_CHECK(projection_.cols() == basis_.rows());
}

void KernelMap::accumulate(ConstMatrixView vectors, std::span<float> sum) const {
  const size_t block_rows = std::clamp<size_t>(kValuesPerBlock / basis_.rows(), 8, 1024);
  thread_local AlignedVector<float> buffer;
  buffer.resize(block_rows * basis_.rows());
  for (size_t begin = 0; begin < vectors.rows; begin += block_rows) {
    const size_t count = std::min(block_rows, vectors.rows - begin);
    const ConstMatrixView block = vectors.slice_rows(begin, count);
    const MatrixView<float> values(buffer.data(), count, basis_.rows());
    kernel_.block(block, half_squared_norms(block), basis_, half_norms_, values);
    add_rows(values, sum);
  }
}

void KernelMap::finish(std::span<const float> sum, size_t count, std::span<float> out) const {
  gemm_nt(ConstMatrixView(sum.data(), 1, sum.size()), projection_,
          MatrixView<float>(out.data(), 1, out.size()), 1.0f / static_cast<float>(count));
}

// P is read from memory once, not once per cell.
void KernelMap::finish_cells(ConstMatrixView sums, std::span<const size_t> counts,
                             MatrixView<float> out) const {
  if (counts.size() == 1) {
    SetStatistic::finish_cells(sums, counts, out);
    return;
  }
  gemm_nt(sums, projection_, out);
  for (size_t c = 0; c < counts.size(); ++c) {
    const float scale = counts[c] > 0 ? 1.0f / static_cast<float>(counts[c]) : 0.0f;
    for (float& value : out.row(c)) value *= scale;
  }
}

void KernelMap::pull_back(std::span<const float>, size_t count, std::span<const double> gradient,
                          std::span<double> out) const {
  std::ranges::fill(out, 0.0);
  for (size_t r = 0; r < projection_.rows(); ++r)
    for (size_t b = 0; b < out.size(); ++b)
      out[b] += gradient[r] / static_cast<double>(count) * projection_(r, b);
}

void KernelMap::save(const TensorWriter& out) const {
  out.put("basis", basis_);
  out.put("projection", projection_);
  out.put("gamma", kernel_.gamma());
  out.put("objective_per_iteration", objective_);
}

std::unique_ptr<KernelMap> KernelMap::load(LocalKernelOptions options, const TensorReader& in) {
  options.gamma = in.number("gamma");
  Matrix<float> basis = in.matrix<float>("basis"), projection = in.matrix<float>("projection");
  in.require(projection.cols() == basis.rows() && basis.rows() > 0,
             "basis and projection differ in number");
  return std::make_unique<KernelMap>(LocalKernel(options), std::move(basis), std::move(projection),
                                     in.values<double>("objective_per_iteration"));
}

}  // namespace muster
