// k-means and word assignment side by side: ours, Faiss, scikit-learn and the bound set by a plain
// sgemm of the same products; from random vectors as first centres, equal numbers of iterations.
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
#include "peers/best_openblas.h"
#include "peers/python_peer.h"
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

KMeans our_kmeans(const Matrix<float>& data) {
  KMeansOptions options;
  options.words = kWords;
  options.iterations = kIterations;
  options.tolerance = 0;
  options.init = KMeansInit::kRandom;
  return fit_kmeans(options, data, Rng(2));
}

Contender faiss_kmeans(const Matrix<float>& data, double* error) {
  return {"Faiss k-means",
          [&data, error] {
            faiss::ClusteringParameters parameters;
            parameters.niter = kIterations;
            parameters.max_points_per_centroid = static_cast<int>(kVectors);
            faiss::Clustering clustering(kDim, kWords, parameters);
            faiss::IndexFlatL2 index(kDim);
            clustering.train(static_cast<faiss::Clustering::idx_t>(data.rows()), data.data(),
                             index);
            *error = clustering.iteration_stats.back().obj / static_cast<double>(data.rows());
          },
          Role::kPeer};
}

Contender sgemm_bound(const char* name, const Matrix<float>& data, size_t rows, int times,
                      bool openblas) {
  return {name,
          [&data, rows, times, openblas] {
            static Matrix<float> products(1000, kWords);
            for (int i = 0; i < times; ++i)
              for (size_t begin = 0; begin < rows; begin += 1000) {
                const ConstMatrixView block = data.view().slice_rows(begin, 1000);
                if (openblas)
                  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, 1000, kWords, kDim, 1,
                              block.data, kDim, data.data(), kDim, 0, products.data(), kWords);
                else
                  gemm_nt(block, data.view().slice_rows(0, kWords), products);
              }
          },
          Role::kBound};
}

void race_kmeans(Record& record, const Matrix<float>& data, int rounds) {
  double our_error = 0, faiss_error = 0;
  const DataFile file(data.values());
  const auto sklearn = std::make_shared<PythonPeer>(std::vector<std::string>{
      "kmeans", file.path(), std::to_string(kVectors), std::to_string(kDim), std::to_string(kWords),
      std::to_string(kIterations)});
  record.race({"k-means", "100,000 x 128, 1,000 centres, 10 iterations", "iteration", kIterations},
              {{"muster k-means", [&] { our_error = our_kmeans(data).error_per_iteration.back(); },
                Role::kOurs},
               faiss_kmeans(data, &faiss_error),
               python("scikit-learn KMeans", sklearn),
               sgemm_bound("sgemm alone (oneDNN)", data, kVectors, kIterations, false),
               sgemm_bound("sgemm alone (OpenBLAS)", data, kVectors, kIterations, true)},
              rounds);
  // From different first centres, so not to the last digit.
  const double worst =
      std::max(std::abs(faiss_error / our_error - 1), std::abs(sklearn->result() / our_error - 1));
  record.agree(worst < 0.01, "mean squared errors from different first centres: muster " +
                                 rounded(our_error, 4) + ", Faiss " + rounded(faiss_error, 4) +
                                 ", scikit-learn " + rounded(sklearn->result(), 4));
  KMeans fitted;
  record.compare_threads([&] { fitted = our_kmeans(data); },
                         [&] { return bytes_of(fitted.centres.values()); }, std::min(rounds, 3));
}

constexpr int kAssignRepeats = 20;

void race_assignment(Record& record, const Matrix<float>& data, int rounds) {
  const Matrix<float> words(data.view().slice_rows(kVectors - kWords, kWords));
  const std::vector<float> half_norms = half_squared_norms(words);
  std::vector<uint32_t> our_words(kAssigned);
  std::vector<int64_t> faiss_words(kAssigned);
  std::vector<float> distances(kAssigned);
  faiss::IndexFlatL2 index(kDim);
  index.add(kWords, words.data());
  const auto ours = [&] {
    for (int i = 0; i < kAssignRepeats; ++i)
      find_nearest(data.view().slice_rows(0, kAssigned), words, half_norms, our_words);
  };
  const auto faiss = [&] {
    for (int i = 0; i < kAssignRepeats; ++i)
      index.search(kAssigned, data.data(), 1, distances.data(), faiss_words.data());
  };
  record.race({"word assignment", "nearest of 1,000 words for 1,000 vectors of 128 dimensions",
               "set", kAssignRepeats},
              {{"muster find_nearest", ours, Role::kOurs},
               {"Faiss IndexFlatL2", faiss, Role::kPeer},
               sgemm_bound("sgemm alone (oneDNN)", data, kAssigned, kAssignRepeats, false),
               sgemm_bound("sgemm alone (OpenBLAS)", data, kAssigned, kAssignRepeats, true)},
              rounds);
  size_t equal = 0;
  for (size_t i = 0; i < kAssigned; ++i)
    equal += our_words[i] == static_cast<uint32_t>(faiss_words[i]);
  record.agree(equal == kAssigned, std::to_string(equal) + " of 1,000 words equal Faiss'");
  std::vector<uint32_t> all(kVectors);
  record.compare_threads(
      [&] {
        parallel_for(kVectors / kAssigned, 1, [&](size_t begin, size_t end) {
          for (size_t i = begin; i < end; ++i)
            find_nearest(data.view().slice_rows(i * kAssigned, kAssigned), words, half_norms,
                         std::span(all).subspan(i * kAssigned, kAssigned));
        });
      },
      [&] { return bytes_of(all); }, rounds);
}

}  // namespace

void race(Record& record, const Arguments& args) {
  restart_with_best_openblas(args);
  const int rounds = args.rounds_or(5);
  omp_set_num_threads(1);
  const Matrix<float> data = descriptors(kVectors);
  race_kmeans(record, data, rounds);
  race_assignment(record, data, 4 * rounds);
}

}  // namespace muster::bench
