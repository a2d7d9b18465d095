// Eigenvalues of symmetric matrices, compiled once: Eigen's solver takes a compiler many seconds.
#pragma once

#include <Eigen/Core>

namespace muster {

struct SymmetricEigen {
  Eigen::VectorXd values;   // rising
  Eigen::MatrixXd vectors;  // columns, in the order of the values
};

// Only the diagonal and what lies below it are read.
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& symmetric);
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& symmetric);

}  // namespace muster
