#include "muster/math/symmetric_eigen.h"

#include <Eigen/Eigenvalues>

namespace muster {

using Solver = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& symmetric) {
  const Solver solver(symmetric);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& symmetric) {
  return Solver(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
}

}  // namespace muster
