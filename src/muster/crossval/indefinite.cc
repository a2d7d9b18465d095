#include "muster/crossval/indefinite.h"

#include <Eigen/Cholesky>
#include <cmath>

#include "muster/math/symmetric_eigen.h"

namespace muster {
namespace {

constexpr double kRounding = 1e-6;

Eigen::Index index(size_t i) { return static_cast<Eigen::Index>(i); }

Eigen::Map<const Eigen::MatrixXd> map(const Matrix<double>& gram) {
  return {gram.data(), index(gram.rows()), index(gram.cols())};
}

// True if K + tolerance I has a Cholesky decomposition.
bool is_definite(const Matrix<double>& gram, double tolerance) {
  Eigen::MatrixXd shifted = map(gram);
  shifted.diagonal().array() += tolerance;
  return Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>(shifted).info() == Eigen::Success;
}

}  // namespace

DefiniteGram::DefiniteGram(Matrix<double> gram, Indefinite treatment, const char* stage)
    : gram_(std::move(gram)) {
  MUSTER_CHECK(gram_.rows() == gram_.cols());
  const double tolerance = kRounding * map(gram_).norm();
  if (tolerance == 0 || !std::isfinite(tolerance) || is_definite(gram_, tolerance)) return;
  const bool project = treatment == Indefinite::kClip || treatment == Indefinite::kFlip;
  const SymmetricEigen eigen =
      project ? symmetric_eigen(map(gram_)) : SymmetricEigen{symmetric_eigenvalues(map(gram_)), {}};
  const Eigen::VectorXd& values = eigen.values;
  const size_t n = gram_.rows();
  found_ = IndefiniteGram{values[0], values[index(n - 1)], 0};
  while (found_->negative < n && values[index(found_->negative)] < 0) ++found_->negative;

  if (treatment == Indefinite::kRefuse)
    throw data_error(
        "{}: the kernel matrix of the training items is not positive semi-definite ({} of "
        "{} eigenvalues are negative, "
        "the smallest is {:.3g}, the largest {:.3g}); treat it by indefinite=clip, flip or shift, "
        "or use a Mercer kernel "
        "(muster methods --kernels)",
        stage, found_->negative, n, found_->smallest_eigenvalue, found_->largest_eigenvalue);
  if (treatment == Indefinite::kShift) {
    for (size_t i = 0; i < n; ++i) gram_(i, i) -= found_->smallest_eigenvalue;
    return;
  }
  factor_ = treatment == Indefinite::kClip ? 1 : 2;
  const Eigen::MatrixXd vectors = eigen.vectors.leftCols(index(found_->negative));
  const Eigen::MatrixXd negative_part =
      vectors * values.head(index(found_->negative)).asDiagonal() * vectors.transpose();
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j <= i; ++j)
      gram_(i, j) = gram_(j, i) = gram_(i, j) - factor_ * negative_part(index(i), index(j));
  directions_ = Matrix<double>(found_->negative, n);
  for (size_t r = 0; r < found_->negative; ++r)
    for (size_t i = 0; i < n; ++i) directions_(r, i) = vectors(index(i), index(r));
}

void DefiniteGram::fold_into(std::span<double> coefficients) const {
  std::vector<double> parts(directions_.rows());
  for (size_t r = 0; r < parts.size(); ++r)
    for (size_t i = 0; i < coefficients.size(); ++i)
      parts[r] += directions_(r, i) * coefficients[i];
  for (size_t r = 0; r < parts.size(); ++r)
    for (size_t i = 0; i < coefficients.size(); ++i)
      coefficients[i] -= factor_ * parts[r] * directions_(r, i);
}

}  // namespace muster
