#include "muster/math/gemm.h"

#include <dnnl.h>

#include "muster/core/parallel.h"

// Of GNU's OpenMP, on which Debian's oneDNN runs whichever compiler builds this file; its header is
// not in clang's reach.
extern "C" void omp_set_num_threads(int count);
extern "C" int omp_get_max_threads();

namespace muster {
namespace {

// oneDNN threads through OpenMP, whose thread count is a setting of each calling thread: one while
// this lives, then what it was, since the thread is the program's.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

void gemm(char trans_a, char trans_b, size_t m, size_t n, size_t k, ConstMatrixView a,
          ConstMatrixView b, MatrixView<float> c, float alpha, float beta) {
  MUSTER_CHECK(c.rows == m && c.cols == n);
  if (m == 0 || n == 0) return;
  if (k == 0) {
    for (size_t r = 0; r < m; ++r)
      for (float& value : c.row(r)) value *= beta;
    return;
  }
  const OneThread one_thread;
  const auto size = [](size_t x) { return static_cast<dnnl_dim_t>(x); };
  const dnnl_status_t status =
      dnnl_sgemm(trans_a, trans_b, size(m), size(n), size(k), alpha, a.data, size(a.stride), b.data,
                 size(b.stride), beta, c.data, size(c.stride));
  MUSTER_CHECK(status == dnnl_success);
}

}  // namespace

void gemm_nt(ConstMatrixView a, ConstMatrixView b, MatrixView<float> c, float alpha, float beta) {
  MUSTER_CHECK(a.cols == b.cols);
  gemm('N', 'T', a.rows, b.rows, a.cols, a, b, c, alpha, beta);
}

void gemm_nn(ConstMatrixView a, ConstMatrixView b, MatrixView<float> c, float alpha, float beta) {
  MUSTER_CHECK(a.cols == b.rows);
  gemm('N', 'N', a.rows, b.cols, a.cols, a, b, c, alpha, beta);
}

void gemm_nn_parallel(ConstMatrixView a, ConstMatrixView b, MatrixView<float> c) {
  constexpr size_t kTile = 256;
  parallel_for(b.cols, kTile, [&](size_t begin, size_t end) {
    gemm_nn(a, ConstMatrixView(b.data + begin, b.rows, end - begin, b.stride),
            MatrixView<float>(c.data + begin, c.rows, end - begin, c.stride));
  });
}

void gemm_tn(ConstMatrixView a, ConstMatrixView b, MatrixView<float> c, float alpha, float beta) {
  MUSTER_CHECK(a.rows == b.rows);
  gemm('T', 'N', a.cols, b.cols, a.rows, a, b, c, alpha, beta);
}

}  // namespace muster
