#include "muster/setkernel/feature_kernel.h"

#include <cmath>

#include "muster/math/gemm.h"
#include "muster/math/pairwise.h"
#include "muster/setkernel/gram.h"

namespace muster {
namespace {

constexpr size_t kTileSide = 128;
constexpr double kWidthGrid[] = {0.25, 0.5, 1, 2, 4, 8};
constexpr size_t kItemsForWidth = 500;

const AlignedVector<float>& values_of(const Representation& set) {
  return dynamic_cast<const VectorRepresentation&>(set).values;
}

Matrix<float> stack(RepresentedSpan sets, size_t dim) {
  Matrix<float> out(sets.size(), dim);
  for (size_t i = 0; i < sets.size(); ++i)
    std::ranges::copy(values_of(*sets[i]), out.row(i).begin());
  return out;
}

class FeatureKernel final : public SetKernel {
 public:
  FeatureKernel(FeatureKernelKind kind, std::optional<double> gamma,
                std::shared_ptr<const SetFeature> feature)
      : kind_(kind), gamma_(gamma), feature_(std::move(feature)) {}

  std::shared_ptr<const Representation> represent(const VectorSet& set) const override {
    AlignedVector<float> values(feature_->dim());
    feature_->encode(set, values);
    return represent_vector(values);
  }

  bool takes_weights() const override { return true; }

  std::shared_ptr<const Representation> represent_vector(
      std::span<const float> vector) const override {
    MUSTER_CHECK(vector.size() == feature_->dim());
    require_non_negative(vector);
    return std::make_shared<VectorRepresentation>(
        AlignedVector<float>(vector.begin(), vector.end()));
  }

  std::vector<std::shared_ptr<const SetKernel>> candidates(
      RepresentedSpan training) const override {
    if (!has_width() || gamma_) return {shared_from_this()};
    std::vector<std::shared_ptr<const SetKernel>> out;
    const double unit = 1 / mean_distance(training);
    for (double factor : kWidthGrid)
      out.push_back(std::make_shared<FeatureKernel>(kind_, factor * unit, feature_));
    return out;
  }

  void gram(RepresentedSpan a, RepresentedSpan b, MatrixView<double> out,
            const Progress& progress) const override {
    MUSTER_CHECK(!has_width() || gamma_);
    const bool symmetric = a.data() == b.data() && a.size() == b.size();
    const Matrix<float> left = stack(a, feature_->dim());
    const Matrix<float> right = symmetric ? Matrix<float>() : stack(b, feature_->dim());
    const ConstMatrixView rows = left, cols = symmetric ? left.view() : right.view();
    shared_tiles(out, kTileSide, symmetric, progress, [&](const Tile& tile) {
      Matrix<float> block(tile.num_rows, tile.num_cols);
      distances_or_products(rows.slice_rows(tile.row, tile.num_rows),
                            cols.slice_rows(tile.col, tile.num_cols), block);
      for (size_t i = 0; i < tile.num_rows; ++i)
        for (size_t j = 0; j < tile.num_cols; ++j)
          out(tile.row + i, tile.col + j) =
              has_width() ? std::exp(-*gamma_ * block(i, j)) : block(i, j);
    });
    if (symmetric) mirror_upper(out);
  }

  std::optional<VectorShares> shares(const VectorSet& set, RepresentedSpan training,
                                     std::span<const double> coefficients) const override {
    std::vector<float> own(feature_->dim());
    feature_->encode(set, own);
    std::vector<double> gradient(own.size());
    for (size_t j = 0; j < training.size(); ++j)
      add_gradient(own, values_of(*training[j]), coefficients[j], gradient);
    return VectorShares{feature_->shares(set, gradient),
                        kind_ == FeatureKernelKind::kLinear && feature_->additive()};
  }

  const Universal* universal() const override { return feature_->universal(); }

  void save(const TensorWriter& out) const override {
    feature_->save(out.scope("feature"));
    if (gamma_) out.put("gamma", *gamma_);
  }

  void save_represented(RepresentedSpan sets, const TensorWriter& out) const override {
    out.put("vectors", stack(sets, feature_->dim()));
  }

  Represented load_represented(const TensorReader& in) const override {
    const Matrix<float> vectors = in.matrix<float>("vectors");
    in.require(vectors.cols() == feature_->dim(), "training vectors of another dimension");
    Represented out;
    for (size_t i = 0; i < vectors.rows(); ++i)
      out.push_back(std::make_shared<VectorRepresentation>(
          AlignedVector<float>(vectors.row(i).begin(), vectors.row(i).end())));
    return out;
  }

 private:
  void require_non_negative(std::span<const float> values) const {
    if (kind_ == FeatureKernelKind::kLinear || kind_ == FeatureKernelKind::kRbf) return;
    if (std::ranges::any_of(values, [](float value) { return value < 0; }))
      throw data_error(
          "{}: this kernel is for histograms, and the set feature before it gives negative values; "
          "use linear or rbf instead",
          kind_ == FeatureKernelKind::kChi2 ? "chi2" : "intersection");
  }

  bool has_width() const {
    return kind_ == FeatureKernelKind::kRbf || kind_ == FeatureKernelKind::kChi2;
  }

  // Adds `factor` times the derivative of k(x, y) by x.
  void add_gradient(std::span<const float> x, std::span<const float> y, double factor,
                    std::span<double> gradient) const {
    if (has_width()) {
      Matrix<float> distance(1, 1);
      distances_or_products(ConstMatrixView(x.data(), 1, x.size()),
                            ConstMatrixView(y.data(), 1, y.size()), distance);
      factor *= -*gamma_ * std::exp(-*gamma_ * distance(0, 0));
    }
    for (size_t t = 0; t < gradient.size(); ++t)
      gradient[t] += factor * component_gradient(x[t], y[t]);
  }

  // Of a component's part in what distances_or_products() gives. An intersection has a corner, at
  // which the mean of both sides is taken.
  double component_gradient(double x, double y) const {
    switch (kind_) {
      case FeatureKernelKind::kLinear:
        return y;
      case FeatureKernelKind::kRbf:
        return 2 * (x - y);
      case FeatureKernelKind::kChi2:
        return x + y > 0 ? (x - y) * (x + 3 * y) / ((x + y) * (x + y)) : 0;
      case FeatureKernelKind::kIntersection:
        return x < y ? 1 : x > y ? 0 : 0.5;
    }
    return 0;
  }

  // What the exponential is taken of if the kernel has one, else the kernel itself.
  void distances_or_products(ConstMatrixView a, ConstMatrixView b, MatrixView<float> out) const {
    switch (kind_) {
      case FeatureKernelKind::kLinear:
        gemm_nt(a, b, out);
        return;
      case FeatureKernelKind::kIntersection:
        pairwise_intersection(a, b, out);
        return;
      case FeatureKernelKind::kRbf:
        pairwise_squared_l2(a, b, out);
        return;
      case FeatureKernelKind::kChi2:
        chi2_distances(a, b, out);
        return;
    }
  }

  // sum (x - y)^2 / (x + y) = sum x + sum y - 2 sum 2 x y / (x + y)
  static void chi2_distances(ConstMatrixView a, ConstMatrixView b, MatrixView<float> out) {
    const auto total = [](std::span<const float> row) {
      double sum = 0;
      for (float value : row) sum += value;
      return sum;
    };
    pairwise_chi2(a, b, out);
    for (size_t i = 0; i < a.rows; ++i)
      for (size_t j = 0; j < b.rows; ++j)
        out(i, j) = static_cast<float>(std::max(
            0.0, total(a.row(i)) + total(b.row(j)) - 2.0 * static_cast<double>(out(i, j))));
  }

  double mean_distance(RepresentedSpan training) const {
    const Represented spread = spread_over(training, kItemsForWidth);
    const Matrix<float> vectors = stack(spread, feature_->dim());
    Matrix<float> distances(spread.size(), spread.size());
    distances_or_products(vectors, vectors, distances);
    double sum = 0;
    for (float value : distances.values()) sum += value;
    const auto pairs = static_cast<double>(spread.size() * (spread.size() - 1));
    return sum > 0 ? sum / pairs : 1;
  }

  FeatureKernelKind kind_;
  std::optional<double> gamma_;
  std::shared_ptr<const SetFeature> feature_;
};

}  // namespace

std::shared_ptr<const SetKernel> make_feature_kernel(FeatureKernelKind kind,
                                                     std::optional<double> gamma,
                                                     std::shared_ptr<const SetFeature> feature) {
  return std::make_shared<FeatureKernel>(kind, gamma, std::move(feature));
}

std::shared_ptr<const SetKernel> load_feature_kernel(FeatureKernelKind kind,
                                                     std::shared_ptr<const SetFeature> feature,
                                                     const TensorReader& in) {
  std::optional<double> gamma;
  if (in.has("gamma")) gamma = in.number("gamma");
  const bool has_width = kind == FeatureKernelKind::kRbf || kind == FeatureKernelKind::kChi2;
  in.require(!has_width || (gamma && *gamma > 0), "a width that is missing or not positive");
  return std::make_shared<FeatureKernel>(kind, gamma, std::move(feature));
}

}  // namespace muster
