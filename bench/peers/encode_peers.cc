// Encoding one set (1000 x 128 -> 1000) by the efficient match kernels, beside a product and
// cosines written by hand, scikit-learn's RBFSampler, and the bound set by the fastest packaged
// sgemm of the same shape alone.
//   encode_peers [OUT.json] [ROUNDS]
#include <cblas.h>

#include <cmath>

#include "muster/math/gemm.h"
#include "muster/setfeature/bow.h"
#include "muster/setfeature/emk_cksvd.h"
#include "muster/setfeature/emk_fourier.h"
#include "oracle/hadamard.h"
#include "peers/blas_kernels.h"
#include "peers/native_loops.h"
#include "peers/python_peer.h"

namespace muster::bench {
namespace {

constexpr size_t kVectors = 1000, kDim = 128, kOut = 1000;
constexpr int kRepeats = 20;

VectorSet random_set() {
  VectorSet set{Matrix<float>(kVectors, kDim), {}};
  Rng rng(1);
  for (float& value : set.vectors.values()) value = static_cast<float>(rng.uniform() / 6);
  return set;
}

Contender encoder(const char* name, const VectorSet& set, const SetFeature& feature,
                  std::vector<float>& out, Role role) {
  return {name,
          [&] {
            out.resize(feature.dim());
            for (int i = 0; i < kRepeats; ++i) feature.encode(set, out);
          },
          role};
}

void blas_product(const VectorSet& set, const float* frequencies, Matrix<float>& products) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, kVectors, kOut, kDim, 1, set.vectors.data(),
              kDim, frequencies, kDim, 0, products.data(), kOut);
}

Contender sgemm(const char* name, const VectorSet& set, bool openblas) {
  return {name,
          [&set, openblas] {
            static Matrix<float> products(kVectors, kOut);
            for (int i = 0; i < kRepeats; ++i) {
              if (openblas)
                blas_product(set, set.vectors.data(), products);
              else
                gemm_nt(set.vectors, set.vectors, products);
            }
          },
          Role::kBound};
}

double largest_difference(std::span<const float> a, std::span<const float> b) {
  double most = 0;
  for (size_t t = 0; t < a.size(); ++t)
    most = std::max(most, std::abs(static_cast<double>(a[t]) - b[t]));
  return most;
}

std::vector<float> read_floats(const std::string& path, size_t count) {
  std::vector<float> out(count);
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char*>(out.data()),
            static_cast<std::streamsize>(count * sizeof(float)));
  return out;
}

int run(int argc, char** argv) {
  const Arguments args(argc, argv, 20);
  const VectorSet set = random_set();
  const Sample sample{set.vectors, {}, 0};
  const SetFeature fourier = fit_emk_fourier({}, sample, Rng(1), {});
  EmkFourierOptions by_product;
  by_product.hadamard = false;
  const SetFeature dense = fit_emk_fourier(by_product, sample, Rng(1), {});
  EmkCksvdOptions few_iterations;
  few_iterations.basis.iterations = 0;
  const SetFeature cksvd = fit_emk_cksvd(few_iterations, sample, Rng(1), {});
  const SetFeature bow = fit_bow({}, sample, Rng(1), {});

  // Everybody gets our frequencies and phases.
  TensorMap saved;
  fourier.save(TensorWriter(saved));
  const TensorReader in(saved);
  const Matrix<double> directions =
      oracle::directions(kDim, in.values<float>("lengths"), in.matrix<float>("signs"));
  Matrix<float> frequencies(kOut, kDim);
  for (size_t i = 0; i < directions.size(); ++i)
    frequencies.data()[i] = static_cast<float>(directions.data()[i]);
  const std::vector<float> phases = in.values<float>("phases");
  const DataFile set_file(set.vectors.values()), frequency_file(frequencies.values()),
      phase_file(phases), mean_file(std::vector<float>(kOut, 0.0f));
  const auto sklearn = std::make_shared<PythonPeer>(
      std::vector<std::string>{"fourier", set_file.path(), std::to_string(kVectors),
                               std::to_string(kDim), frequency_file.path(), phase_file.path(),
                               std::to_string(kOut), mean_file.path(), std::to_string(kRepeats)});
  std::vector<float> ours, other, by_hand(kOut);
  Matrix<float> products(kVectors, kOut);
  const Contender hand{"sgemm (OpenBLAS) and cosines by hand",
                       [&] {
                         for (int i = 0; i < kRepeats; ++i) {
                           blas_product(set, frequencies.data(), products);
                           mean_cosines(products.data(), kVectors, kOut, phases.data(),
                                        by_hand.data());
                         }
                       },
                       Role::kPeer};
  Record record;
  record.race(
      {"emk-fourier", "encoding a set of 1,000 x 128 by 1,000 Fourier features", "set", kRepeats},
      {encoder("emk-fourier", set, fourier, ours, Role::kOurs), hand,
       python("scikit-learn RBFSampler", sklearn), sgemm("sgemm alone (oneDNN)", set, false),
       sgemm("sgemm alone (OpenBLAS)", set, true),
       encoder("emk-fourier:hadamard=false", set, dense, other, Role::kOther),
       encoder("emk-cksvd", set, cksvd, other, Role::kOther),
       encoder("bow", set, bow, other, Role::kOther)},
      args.rounds);
  const double difference = std::max(largest_difference(ours, by_hand),
                                     largest_difference(ours, read_floats(mean_file.path(), kOut)));
  record.agree(difference < 1e-5,
               "largest difference of a component from either peer's " + rounded(difference, 2));
  constexpr size_t kSets = 200;
  Matrix<float> all(kSets, kOut);
  record.compare_threads(
      [&] {
        parallel_for(kSets, 4, [&](size_t begin, size_t end) {
          for (size_t i = begin; i < end; ++i) fourier.encode(set, all.row(i));
        });
      },
      [&] { return bytes_of(all.values()); }, args.rounds);
  return record.finish(args.out);
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  muster::bench::restart_with_best_openblas(argv);
  return muster::bench::run(argc, argv);
}
