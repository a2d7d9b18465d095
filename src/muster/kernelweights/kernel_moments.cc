#include "muster/kernelweights/kernel_moments.h"

#include <cmath>

#include "muster/core/parallel.h"
#include "muster/math/gemm.h"

namespace muster {
namespace {

constexpr size_t kTileSide = 96;

// Sums of one strip of tiles; strips are added in their order, so threads do not change a bit.
struct StripSums {
  StripSums(size_t rows, size_t n) : products(rows, rows), item_sums(rows, n), largest(rows) {}

  Matrix<double> products;
  Matrix<double> item_sums;  // of each kernel: sum_q v_q K(p, q) as far as the strip's tiles know
  std::vector<double> largest;
};

class MomentPass {
 public:
  MomentPass(const KernelTiles& kernels, const LabelSimilarity& similarity)
      : kernels_(kernels), similarity_(similarity), rows_(kernels.num_kernels + 1) {}

  KernelMoments run(bool centre, const Progress& progress) {
    const size_t n = kernels_.num_items, num_strips = (n + kTileSide - 1) / kTileSide;
    KernelMoments out{Matrix<double>(rows_, rows_), {}, Matrix<double>(kernels_.num_kernels, n)};
    std::vector<std::unique_ptr<StripSums>> strips(num_strips);
    ProgressStep step(progress, "kernel weights", num_strips);
    parallel_for(num_strips, 1, [&](size_t s, size_t) {
      strips[s] = std::make_unique<StripSums>(rows_, n);
      for (size_t col = s * kTileSide; col < n; col += kTileSide)
        add_tile({s * kTileSide, std::min(kTileSide, n - s * kTileSide), col,
                  std::min(kTileSide, n - col)},
                 *strips[s], out.diagonals);
      step.tick();
    });
    StripSums total(rows_, n);
    for (const auto& strip : strips) {
      for (size_t i = 0; i < total.products.size(); ++i)
        total.products.data()[i] += strip->products.data()[i];
      for (size_t i = 0; i < total.item_sums.size(); ++i)
        total.item_sums.data()[i] += strip->item_sums.data()[i];
      for (size_t j = 0; j < rows_; ++j)
        total.largest[j] = std::max(total.largest[j], strip->largest[j]);
    }
    out.products = std::move(total.products);
    if (centre) take_means_away(total.item_sums, out.products);
    total.largest.pop_back();
    out.largest = std::move(total.largest);
    return out;
  }

 private:
  void add_tile(const Tile& tile, StripSums& sums, Matrix<double>& diagonals) const {
    const bool on_diagonal = tile.row == tile.col;
    Matrix<double> values(rows_, tile.num_rows * tile.num_cols);
    kernels_.fill(tile, MatrixView<double>(values.data(), rows_ - 1, values.cols()));
    for (size_t i = 0; i < tile.num_rows; ++i)
      for (size_t j = 0; j < tile.num_cols; ++j)
        values(rows_ - 1, i * tile.num_cols + j) = similarity_(tile.row + i, tile.col + j);
    const std::vector<double>& weights = similarity_.item_weights();
    for (size_t k = 0; k < rows_; ++k) {
      double largest = sums.largest[k];
      const double* value = values.row(k).data();
      double* item_sums = sums.item_sums.row(k).data();
      for (size_t i = tile.row; i < tile.row + tile.num_rows; ++i)
        for (size_t j = tile.col; j < tile.col + tile.num_cols; ++j, ++value) {
          largest = std::max(largest, std::abs(*value));
          item_sums[i] += weights[j] * *value;
          if (!on_diagonal) item_sums[j] += weights[i] * *value;
        }
      sums.largest[k] = largest;
      if (on_diagonal && k + 1 < rows_)
        for (size_t i = 0; i < tile.num_rows; ++i)
          diagonals(k, tile.row + i) = values(k, i * tile.num_cols + i);
    }
    if (similarity_.balanced()) weigh(tile, values);
    Matrix<double> products(rows_, rows_);
    gemm_nt(values.view(), values.view(), products);
    for (size_t i = 0; i < products.size(); ++i)
      sums.products.data()[i] += (on_diagonal ? 1 : 2) * products.data()[i];
  }

  void weigh(const Tile& tile, Matrix<double>& values) const {
    const std::vector<double>& weights = similarity_.item_weights();
    for (size_t i = 0; i < tile.num_rows; ++i)
      for (size_t j = 0; j < tile.num_cols; ++j) {
        const double root = std::sqrt(weights[tile.row + i] * weights[tile.col + j]);
        for (size_t k = 0; k < rows_; ++k) values(k, i * tile.num_cols + j) *= root;
      }
  }

  // With m_i(q) = sum_p v_p K_i(p, q) / n and s_i = sum_q v_q m_i(q) / n:
  // <H K_i H, H K_j H> = <K_i, K_j> - 2 n sum_q v_q m_i(q) m_j(q) + n^2 s_i s_j.
  void take_means_away(const Matrix<double>& item_sums, Matrix<double>& products) const {
    const auto n = static_cast<double>(kernels_.num_items);
    const std::vector<double>& weights = similarity_.item_weights();
    std::vector<double> totals(rows_);
    for (size_t k = 0; k < rows_; ++k)
      for (size_t q = 0; q < weights.size(); ++q) totals[k] += weights[q] * item_sums(k, q);
    for (size_t i = 0; i < rows_; ++i)
      for (size_t j = 0; j <= i; ++j) {
        double common = 0;
        for (size_t q = 0; q < weights.size(); ++q)
          common += weights[q] * item_sums(i, q) * item_sums(j, q);
        products(i, j) += -2 * common / n + totals[i] * totals[j] / (n * n);
        products(j, i) = products(i, j);
      }
  }

  const KernelTiles& kernels_;
  const LabelSimilarity& similarity_;
  size_t rows_;  // one per kernel, and the labels
};

// Of every item, so that each class counts the same in all and the mean is 1; an item with several
// labels counts as their mean.
std::vector<double> balanced_weights(const Labels& labels) {
  std::vector<double> counts(static_cast<size_t>(labels.num_classes()));
  for (const auto& own : labels.of_item)
    for (int label : own) ++counts[static_cast<size_t>(label)];
  std::vector<double> out(labels.size());
  double sum = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    for (int label : labels.of_item[i])
      out[i] +=
          1 / (counts[static_cast<size_t>(label)] * static_cast<double>(labels.of_item[i].size()));
    sum += out[i];
  }
  for (double& weight : out) weight = sum > 0 ? weight * static_cast<double>(out.size()) / sum : 1;
  return out;
}

}  // namespace

LabelSimilarity::LabelSimilarity(const Labels& labels, bool balance, bool overlap)
    : labels_(labels),
      balanced_(balance),
      overlap_(overlap),
      item_weights_(balance ? balanced_weights(labels) : std::vector<double>(labels.size(), 1.0)) {}

double LabelSimilarity::operator()(size_t p, size_t q) const {
  const std::vector<int>&a = labels_.of_item[p], &b = labels_.of_item[q];
  size_t shared = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    shared += *i == *j;
    const bool forward = *i <= *j;
    if (*j <= *i) ++j;
    if (forward) ++i;
  }
  if (shared == 0) return 0;
  return overlap_
             ? static_cast<double>(shared) / std::sqrt(static_cast<double>(a.size() * b.size()))
             : 1;
}

KernelMoments kernel_moments(const KernelTiles& kernels, const LabelSimilarity& similarity,
                             bool centre, const Progress& progress) {
  return MomentPass(kernels, similarity).run(centre, progress);
}

Normalised normalised(const KernelMoments& moments) {
  const size_t count = moments.num_kernels();
  Normalised out{Matrix<double>(count, count), std::vector<double>(count)};
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j < count; ++j)
      out.products(i, j) = moments.products(i, j) / (moments.largest[i] * moments.largest[j]);
    out.with_labels[i] = moments.products(i, count) / moments.largest[i];
  }
  return out;
}

}  // namespace muster
