#include "muster/reduce/pls.h"

#include <Eigen/SVD>

#include "muster/math/covariance.h"
#include "muster/math/symmetric_eigen.h"
#include "muster/reduce/projection.h"

namespace muster {
namespace {

// Singular values below this share of the largest are rounding.
constexpr double kNegligible = 1e-8;

using Eigen::Index;
using Eigen::MatrixXd;

struct Cross {
  MatrixXd covariance;  // X'X / n
  MatrixXd classes;     // X'Y / n, a column per class
  std::vector<float> mean;
};

Cross cross_products(const Sample& sample) {
  std::vector<size_t> labelled, per_class(static_cast<size_t>(std::max(sample.num_classes, 0)));
  for (size_t i = 0; i < sample.labels.size(); ++i)
    if (sample.labels[i] >= 0) {
      labelled.push_back(i);
      ++per_class[static_cast<size_t>(sample.labels[i])];
    }
  if (std::ranges::count_if(per_class, [](size_t n) { return n > 0; }) < 2)
    throw data_error(
        "pls: the vectors must come from items of two classes or more; label the items or use pca");
  const Matrix<float> vectors = select_rows(sample.vectors.view(), labelled);
  const Moments moments = sample_moments(vectors);
  const auto d = static_cast<Index>(vectors.cols());
  Cross out{Eigen::Map<const MatrixXd>(moments.covariance.data(), d, d),
            MatrixXd::Zero(d, static_cast<Index>(per_class.size())),
            {moments.mean.begin(), moments.mean.end()}};
  for (size_t i = 0; i < labelled.size(); ++i) {
    const Index column = sample.labels[labelled[i]];
    for (Index t = 0; t < d; ++t)
      out.classes(t, column) +=
          vectors(i, static_cast<size_t>(t)) - moments.mean[static_cast<size_t>(t)];
  }
  out.classes /= static_cast<double>(labelled.size());
  return out;
}

// Appends the first `count` columns.
void append_columns(MatrixXd& basis, const MatrixXd& columns, Index count) {
  MatrixXd longer(basis.rows(), basis.cols() + count);
  longer << basis, columns.leftCols(count);
  // Rounding leaves new directions orthogonal to the old ones to 1e-8 or so only.
  for (Index j = basis.cols(); j < longer.cols(); ++j) {
    const auto before = longer.leftCols(j);
    longer.col(j) -= before * (before.transpose() * longer.col(j));
    longer.col(j).normalize();
  }
  basis = std::move(longer);
}

MatrixXd directions(const Cross& cross, Index dim) {
  MatrixXd basis(cross.covariance.rows(), 0);
  double largest = 0;
  while (basis.cols() < dim) {
    // What X'Y becomes when the scores of the directions so far are taken out of X. Within one
    // round deflation by the directions themselves only removes singular vectors one by one: one
    // decomposition gives them all.
    MatrixXd left = cross.classes;
    if (basis.cols() > 0) {
      const MatrixXd loadings = cross.covariance * basis;
      left -= loadings * (basis.transpose() * loadings)
                             .completeOrthogonalDecomposition()
                             .solve(basis.transpose() * left);
      left -= basis * (basis.transpose() * left);
    }
    const Eigen::JacobiSVD<MatrixXd> svd(left, Eigen::ComputeThinU);
    largest = std::max(largest, svd.singularValues()[0]);
    const Index found = (svd.singularValues().array() > kNegligible * largest).count();
    if (found == 0) break;
    append_columns(basis, svd.matrixU(), std::min(found, dim - basis.cols()));
  }
  if (basis.cols() == dim) return basis;
  const MatrixXd rest = MatrixXd::Identity(basis.rows(), basis.rows()) - basis * basis.transpose();
  const double trace = cross.covariance.trace();
  // The added multiple of the rest sets its directions without variance apart from those that are
  // taken.
  const SymmetricEigen eigen =
      symmetric_eigen(rest * cross.covariance * rest + (trace > 0 ? trace : 1) * rest);
  append_columns(basis, eigen.vectors.rowwise().reverse(), dim - basis.cols());
  return basis;
}

}  // namespace

std::unique_ptr<Reducer> fit_pls(const PlsOptions& options, const Sample& sample) {
  const size_t d = sample.vectors.cols();
  if (sample.vectors.rows() == 0)
    throw data_error(
        "pls: there are no vectors to learn from, because the training items gave no features");
  if (static_cast<size_t>(options.dim) > d)
    throw usage_error(
        "pls: option dim={} is not allowed: the vectors have only {} dimensions; keep at most that "
        "many",
        options.dim, d);
  const Cross cross = cross_products(sample);
  const MatrixXd columns = directions(cross, options.dim);
  Matrix<float> basis(static_cast<size_t>(options.dim), d);
  for (Index j = 0; j < columns.cols(); ++j) {
    Index peak = 0;
    columns.col(j).cwiseAbs().maxCoeff(&peak);
    const double sign = columns(peak, j) < 0 ? -1 : 1;
    for (size_t t = 0; t < d; ++t)
      basis(static_cast<size_t>(j), t) =
          static_cast<float>(sign * columns(static_cast<Index>(t), j));
  }
  return std::make_unique<Projection>(cross.mean, std::move(basis));
}

std::unique_ptr<Reducer> load_pls(const PlsOptions&, const TensorReader& in) {
  return Projection::load(in);
}

}  // namespace muster
