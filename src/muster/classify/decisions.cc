#include "muster/classify/decisions.h"

#include "muster/core/parallel.h"
#include "muster/math/gemm.h"

namespace muster {
namespace {

constexpr size_t kTile = 256;
constexpr const char* kWrongNumber =
    "number of decision functions does not fit the number of classes and the scheme";

}  // namespace

Matrix<double> LinearDecisions::of(ConstMatrixView vectors) const {
  MUSTER_CHECK(vectors.cols == weights.cols());
  Matrix<double> out(vectors.rows, weights.rows());
  parallel_for(vectors.rows, kTile, [&](size_t begin, size_t end) {
    Matrix<float> products(end - begin, weights.rows());
    gemm_nt(vectors.slice_rows(begin, end - begin), weights, products);
    for (size_t i = begin; i < end; ++i)
      for (size_t p = 0; p < offsets.size(); ++p)
        out(i, p) = static_cast<double>(products(i - begin, p)) + offsets[p];
  });
  return out;
}

void LinearDecisions::save(const TensorWriter& out) const {
  out.put("weights", weights);
  out.put("offsets", offsets);
}

LinearDecisions LinearDecisions::load(const TensorReader& in, size_t num_problems) {
  LinearDecisions out{in.matrix<float>("weights"), in.values<double>("offsets")};
  in.require(out.weights.rows() == out.offsets.size(), "weights and offsets differ in number");
  in.require(out.offsets.size() == num_problems, kWrongNumber);
  return out;
}

Matrix<double> GramDecisions::of(MatrixView<const double> kernel_rows) const {
  MUSTER_CHECK(kernel_rows.cols == coefficients.rows());
  Matrix<double> out(kernel_rows.rows, offsets.size());
  parallel_for(kernel_rows.rows, 16, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const auto row = out.row(i);
      std::ranges::copy(offsets, row.begin());
      for (size_t j = 0; j < kernel_rows.cols; ++j)
        for (size_t p = 0; p < row.size(); ++p) row[p] += kernel_rows(i, j) * coefficients(j, p);
    }
  });
  return out;
}

void GramDecisions::save(const TensorWriter& out) const {
  out.put("coefficients", coefficients);
  out.put("offsets", offsets);
}

GramDecisions GramDecisions::load(const TensorReader& in, size_t num_problems) {
  GramDecisions out{in.matrix<double>("coefficients"), in.values<double>("offsets")};
  in.require(out.coefficients.cols() == out.offsets.size(),
             "coefficients and offsets differ in number");
  in.require(out.offsets.size() == num_problems, kWrongNumber);
  return out;
}

}  // namespace muster
