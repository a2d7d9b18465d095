// k-means and word assignment side by side: ours, Faiss and the bound set by a plain sgemm of the same
// products; one thread, from the same random start, equal numbers of iterations.
//   kmeans_peers [OUT.json] [ROUNDS]
#include <cblas.h>
#include <faiss/Clustering.h>
#include <faiss/IndexFlat.h>
#include <omp.h>

#include <cmath>

#include "muster/codebook/kmeans.h"
#include "muster/core/parallel.h"
#include "muster/math/gemm.h"
#include "muster/math/nearest.h"
#include "peers/blas_kernels.h"
#include "peers/side_by_side.h"

namespace muster::bench {
namespace {

constexpr size_t kVectors = 100000, kWords = 1000, kDim = 128, kAssigned = 1000;
constexpr int kIterations = 10;

// Clustered, unit-length, non-negative: of the kind dense SIFT gives.
Matrix<float> descriptors(size_t n) {
  Rng rng(1);
  Matrix<float> centres(300, kDim), out(n, kDim);
  for (float& value : centres.values()) value = static_cast<float>(std::abs(rng.normal()));
  for (size_t i = 0; i < n; ++i) {
    const size_t c = rng.below(300);
    double norm = 0;
    for (size_t t = 0; t < kDim; ++t) {
      out(i, t) = std::max(0.0f, centres(c, t) + 0.5f * static_cast<float>(rng.normal()));
      norm += static_cast<double>(out(i, t)) * out(i, t);
    }
    for (float& value : out.row(i)) value /= static_cast<float>(std::sqrt(norm));
  }
  return out;
}

Contender ours_kmeans(const Matrix<float>& data, double* error) {
  return {"muster k-means", [&data, error] {
            KMeansOptions options;
            options.words = kWords;
            options.iterations = kIterations;
            options.tolerance = 0;
            options.init = KMeansInit::kRandom;
            *error = fit_kmeans(options, data, Rng(2)).error_per_iteration.back();
          }};
}

Contender faiss_kmeans(const Matrix<float>& data, double* error) {
  return {"Faiss k-means", [&data, error] {
            faiss::ClusteringParameters parameters;
            parameters.niter = kIterations;
            parameters.max_points_per_centroid = static_cast<int>(kVectors);
            faiss::Clustering clustering(kDim, kWords, parameters);
            faiss::IndexFlatL2 index(kDim);
            clustering.train(static_cast<faiss::Clustering::idx_t>(data.rows()), data.data(), index);
            *error = clustering.iteration_stats.back().obj / static_cast<double>(data.rows());
          }};
}

Contender sgemm_bound(const char* name, const Matrix<float>& data, size_t rows, int times, bool openblas) {
  return {name, [&data, rows, times, openblas] {
            static Matrix<float> products(1000, kWords);
            for (int i = 0; i < times; ++i)
              for (size_t begin = 0; begin < rows; begin += 1000) {
                const ConstMatrixView block = data.view().slice_rows(begin, 1000);
                if (openblas)
                  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, 1000, kWords, kDim, 1, block.data, kDim,
                              data.data(), kDim, 0, products.data(), kWords);
                else
                  gemm_nt(block, data.view().slice_rows(0, kWords), products);
              }
          }};
}

constexpr int kAssignRepeats = 20;

Contender ours_assignment(const Matrix<float>& data, std::vector<uint32_t>& nearest) {
  const Matrix<float> words(data.view().slice_rows(kVectors - kWords, kWords));
  return {"muster find_nearest", [&data, &nearest, words, half = half_squared_norms(words)] {
            for (int i = 0; i < kAssignRepeats; ++i)
              find_nearest(data.view().slice_rows(0, kAssigned), words, half, nearest);
          }};
}

Contender faiss_assignment(const Matrix<float>& data, std::vector<int64_t>& nearest) {
  auto index = std::make_shared<faiss::IndexFlatL2>(kDim);
  index->add(kWords, data.row(kVectors - kWords).data());
  return {"Faiss IndexFlatL2", [&data, &nearest, index] {
            std::vector<float> distances(kAssigned);
            for (int i = 0; i < kAssignRepeats; ++i)
              index->search(kAssigned, data.data(), 1, distances.data(), nearest.data());
          }};
}

int run(int argc, char** argv) {
  omp_set_num_threads(1);
  const ThreadLimit one_thread(1);
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  const Matrix<float> data = descriptors(kVectors);
  double our_error = 0, faiss_error = 0;
  const auto kmeans = alternate({ours_kmeans(data, &our_error), faiss_kmeans(data, &faiss_error),
                                 sgemm_bound("sgemm alone (oneDNN)", data, kVectors, kIterations, false),
                                 sgemm_bound("sgemm alone (OpenBLAS)", data, kVectors, kIterations, true)},
                                rounds);
  std::printf("k-means, %zu x %zu, k = %zu, %d iterations, one thread, %d rounds\n", kVectors, kDim, kWords,
              kIterations, rounds);
  print_table(kmeans, kIterations, "iteration");
  std::printf("mean squared error: ours %.5f, Faiss %.5f (different random starts)\n\n", our_error, faiss_error);

  std::vector<uint32_t> our_nearest(kAssigned);
  std::vector<int64_t> faiss_nearest(kAssigned);
  const auto assignment = alternate({ours_assignment(data, our_nearest), faiss_assignment(data, faiss_nearest),
                                     sgemm_bound("sgemm alone (oneDNN)", data, kAssigned, kAssignRepeats, false),
                                     sgemm_bound("sgemm alone (OpenBLAS)", data, kAssigned, kAssignRepeats, true)},
                                    4 * rounds);
  size_t equal = 0;
  for (size_t i = 0; i < kAssigned; ++i) equal += our_nearest[i] == static_cast<uint32_t>(faiss_nearest[i]);
  std::printf("word assignment, %zu vectors to %zu words of %zu dimensions\n", kAssigned, kWords, kDim);
  print_table(assignment, kAssignRepeats, "set");
  std::printf("equal words: %zu of %zu\n", equal, kAssigned);
  if (argc > 1)
    write_json(argv[1], {{"benchmark", "k-means"},
                         {"machine", machine_facts()},
                         {"openblas_coretype", std::getenv("OPENBLAS_CORETYPE")},
                         {"error", {{"muster", our_error}, {"faiss", faiss_error}}},
                         {"kmeans", to_json(kmeans)},
                         {"equal_words", equal},
                         {"assignment", to_json(assignment)}});
  return 0;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  muster::bench::restart_with_best_openblas(argv);
  return muster::bench::run(argc, argv);
}
