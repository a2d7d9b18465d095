// Matrix products in single precision: the one place that knows which GEMM we use (oneDNN's
// dnnl_sgemm, docs/decisions/0001-gemm.md). On the calling thread unless the name says parallel: we
// thread above it, over sets or tiles, so results do not depend on the number of threads.
#pragma once

#include "muster/core/matrix.h"

namespace muster {

// C = alpha * A B^T + beta * C;  A is m x k, B is n x k.
void gemm_nt(ConstMatrixView a, ConstMatrixView b, MatrixView<float> c, float alpha = 1,
             float beta = 0);
// C = alpha * A B + beta * C;  A is m x k, B is k x n.
void gemm_nn(ConstMatrixView a, ConstMatrixView b, MatrixView<float> c, float alpha = 1,
             float beta = 0);
// C = A B over all threads, by tiles of columns.
void gemm_nn_parallel(ConstMatrixView a, ConstMatrixView b, MatrixView<float> c);
// C = alpha * A^T B + beta * C;  A is k x m, B is k x n.
void gemm_tn(ConstMatrixView a, ConstMatrixView b, MatrixView<float> c, float alpha = 1,
             float beta = 0);
// C = A B^T in double precision, for small differences of large sums.
// By SIMD with run-time dispatch; the order of the sums depends on the CPU's lane width only.
void gemm_nt(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c);

}  // namespace muster
