#include "muster/reduce/pls.h"

#include <gtest/gtest.h>

#include "oracle/pls.h"
#include "support/expect_error.h"
#include "support/random_data.h"

namespace muster {
namespace {

// Classes differ in their means, and some vectors have no label.
Sample labelled_sample(size_t n, size_t d, int classes) {
  Sample sample{oracle::normal_matrix(n, d, Rng(1)), {}, classes};
  const Matrix<float> means = oracle::normal_matrix(static_cast<size_t>(classes), d, Rng(2));
  for (size_t i = 0; i < n; ++i) {
    const int label = static_cast<int>(i % static_cast<size_t>(classes + 1)) - 1;
    sample.labels.push_back(label);
    for (size_t t = 0; t < d; ++t) {
      sample.vectors(i, t) = sample.vectors(i, t) * static_cast<float>(t + 1) + 50;
      if (label >= 0)
        sample.vectors(i, t) += 2 * means(static_cast<size_t>(label), t);
      else
        sample.vectors(i, t) *= 100;  // must not matter
    }
  }
  return sample;
}

Eigen::MatrixXd basis_of(const Reducer& reducer) {
  TensorMap map;
  reducer.save(TensorWriter(map));
  const Matrix<float> basis = TensorReader(map).matrix<float>("basis");
  Eigen::MatrixXd out(basis.cols(), basis.rows());
  for (size_t j = 0; j < basis.rows(); ++j)
    for (size_t t = 0; t < basis.cols(); ++t)
      out(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(j)) = basis(j, t);
  return out;
}

TEST(Pls, DirectionsAreOrthonormalAndEqualSvdAndDeflate) {
  for (const int classes : {2, 4})
    for (const int dim : {1, 3, 7}) {
      const Sample sample = labelled_sample(300, 7, classes);
      std::vector<size_t> rows;
      for (size_t i = 0; i < sample.labels.size(); ++i)
        if (sample.labels[i] >= 0) rows.push_back(i);
      const auto n = static_cast<Eigen::Index>(rows.size());
      Eigen::MatrixXd x(n, 7), y = Eigen::MatrixXd::Zero(n, classes);
      for (Eigen::Index i = 0; i < n; ++i) {
        const size_t row = rows[static_cast<size_t>(i)];
        for (Eigen::Index t = 0; t < 7; ++t) x(i, t) = sample.vectors(row, static_cast<size_t>(t));
        y(i, sample.labels[row]) = 1;
      }
      x.rowwise() -= x.colwise().mean().eval();
      y.rowwise() -= y.colwise().mean().eval();
      const Eigen::MatrixXd ours = basis_of(*fit_pls({.dim = dim}, sample)),
                            naive = oracle::pls_directions(x, y, dim);
      EXPECT_LT((ours.transpose() * ours - Eigen::MatrixXd::Identity(dim, dim)).norm(), 1e-5);
      for (Eigen::Index j = 0; j < dim; ++j)
        EXPECT_NEAR(std::abs(ours.col(j).dot(naive.col(j))), 1, 1e-4)
            << classes << " classes, direction " << j;
    }
}

TEST(Pls, FindsTheDirectionThatSeparatesTheClassesAndPcaWouldMiss) {
  Sample sample{oracle::normal_matrix(400, 3, Rng(3)), {}, 2};
  for (size_t i = 0; i < 400; ++i) {
    sample.labels.push_back(static_cast<int>(i % 2));
    sample.vectors(i, 0) *= 0.1f;
    sample.vectors(i, 0) += i % 2 == 0 ? 1.0f : -1.0f;
    sample.vectors(i, 1) *= 10;
  }
  EXPECT_GT(std::abs(basis_of(*fit_pls({.dim = 1}, sample))(0, 0)), 0.7);
}

TEST(Pls, FillsUpWhereClassesSayNothing) {
  Sample sample{Matrix<float>(8, 4), std::vector<int>(8), 2};  // all vectors equal
  for (size_t i = 0; i < 8; ++i) sample.labels[i] = static_cast<int>(i % 2);
  const Eigen::MatrixXd ours = basis_of(*fit_pls({.dim = 4}, sample));
  EXPECT_LT((ours.transpose() * ours - Eigen::MatrixXd::Identity(4, 4)).norm(), 1e-5);
}

TEST(Pls, RefusesTooManyDimensionsNoDataAndOneClass) {
  EXPECT_ERROR(fit_pls({.dim = 4}, labelled_sample(30, 3, 2)), kUsage, "dim=4");
  Sample one_class = labelled_sample(30, 3, 2);
  for (int& label : one_class.labels) label = std::min(label, 0);
  EXPECT_ERROR(fit_pls({.dim = 2}, one_class), kData, "two classes");
  Sample none;
  none.vectors = Matrix<float>(0, 3);
  EXPECT_ERROR(fit_pls({.dim = 2}, none), kData, "pls");
}

}  // namespace
}  // namespace muster
