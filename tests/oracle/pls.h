// Partial least squares, naively: decompose X'Y, take one direction, deflate X, again.
#pragma once

#include <Eigen/Dense>

namespace muster::oracle {

// X centred, one vector per row; Y one-hot and centred. Columns are the directions.
inline Eigen::MatrixXd pls_directions(const Eigen::MatrixXd& x, const Eigen::MatrixXd& y,
                                      Eigen::Index dim) {
  Eigen::MatrixXd found(x.cols(), 0), left = x;
  double first = 0;
  while (found.cols() < dim) {
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(left.transpose() * y, Eigen::ComputeThinU);
    first = std::max(first, svd.singularValues()[0]);
    if (svd.singularValues()[0] < 1e-7 * first) {  // nothing left: deflate by the scores, and on
      const Eigen::MatrixXd scores = x * found;
      left = x - scores * (scores.transpose() * scores).inverse() * (scores.transpose() * x);
      continue;
    }
    const Eigen::VectorXd u = svd.matrixU().col(0);
    left -= left * u * u.transpose();
    found.conservativeResize(Eigen::NoChange, found.cols() + 1);
    found.col(found.cols() - 1) = u;
  }
  return found;
}

}  // namespace muster::oracle
