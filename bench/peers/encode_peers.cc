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
#include "peers/best_openblas.h"
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

// The frequencies and phases of our features, for everybody.
struct Frequencies {
  Matrix<float> rows{kOut, kDim};
  std::vector<float> phases;

  explicit Frequencies(const SetFeature& fourier) {
    TensorMap saved;
    fourier.save(TensorWriter(saved));
    const TensorReader in(saved);
    const Matrix<double> directions =
        oracle::directions(kDim, in.values<float>("lengths"), in.matrix<float>("signs"));
    for (size_t i = 0; i < directions.size(); ++i)
      rows.data()[i] = static_cast<float>(directions.data()[i]);
    phases = in.values<float>("phases");
  }
};

Contender by_hand(const VectorSet& set, const Frequencies& frequencies, std::vector<float>& out) {
  return {"sgemm (OpenBLAS) and cosines by hand",
          [&] {
            static Matrix<float> products(kVectors, kOut);
            for (int i = 0; i < kRepeats; ++i) {
              blas_product(set, frequencies.rows.data(), products);
              mean_cosines(products.data(), kVectors, kOut, frequencies.phases.data(), out.data());
            }
          },
          Role::kPeer};
}

// Our features that are shown for comparison.
struct Others {
  SetFeature dense, cksvd, bow;

  explicit Others(const Sample& sample)
      : dense(fit_emk_fourier(by_product(), sample, Rng(1), {})),
        cksvd(fit_emk_cksvd(few_iterations(), sample, Rng(1), {})),
        bow(fit_bow({}, sample, Rng(1), {})) {}

 private:
  static EmkFourierOptions by_product() {
    EmkFourierOptions options;
    options.hadamard = false;
    return options;
  }
  static EmkCksvdOptions few_iterations() {
    EmkCksvdOptions options;
    options.basis.iterations = 0;
    return options;
  }
};

void compare_threads(Record& record, const VectorSet& set, const SetFeature& fourier, int rounds) {
  constexpr size_t kSets = 200;
  Matrix<float> all(kSets, kOut);
  record.compare_threads(
      [&] {
        parallel_for(kSets, 4, [&](size_t begin, size_t end) {
          for (size_t i = begin; i < end; ++i) fourier.encode(set, all.row(i));
        });
      },
      [&] { return bytes_of(all.values()); }, rounds);
}

}  // namespace

void race(Record& record, const Arguments& args) {
  restart_with_best_openblas(args);
  const int rounds = args.rounds_or(20);
  const VectorSet set = random_set();
  const Sample sample{set.vectors, {}, 0};
  const SetFeature fourier = fit_emk_fourier({}, sample, Rng(1), {});
  const Others others(sample);
  const Frequencies frequencies(fourier);
  const DataFile set_file(set.vectors.values()), frequency_file(frequencies.rows.values()),
      phase_file(frequencies.phases), mean_file(std::vector<float>(kOut, 0.0f));
  const auto sklearn = std::make_shared<PythonPeer>(
      std::vector<std::string>{"fourier", set_file.path(), std::to_string(kVectors),
                               std::to_string(kDim), frequency_file.path(), phase_file.path(),
                               std::to_string(kOut), mean_file.path(), std::to_string(kRepeats)});
  std::vector<float> ours, other, hand(kOut);
  record.race(
      {"emk-fourier", "encoding a set of 1,000 x 128 by 1,000 Fourier features", "set", kRepeats},
      {encoder("emk-fourier", set, fourier, ours, Role::kOurs), by_hand(set, frequencies, hand),
       python("scikit-learn RBFSampler", sklearn), sgemm("sgemm alone (oneDNN)", set, false),
       sgemm("sgemm alone (OpenBLAS)", set, true),
       encoder("emk-fourier:hadamard=false", set, others.dense, other, Role::kOther),
       encoder("emk-cksvd", set, others.cksvd, other, Role::kOther),
       encoder("bow", set, others.bow, other, Role::kOther)},
      rounds);
  const double difference = std::max(largest_difference(ours, hand),
                                     largest_difference(ours, read_floats(mean_file.path(), kOut)));
  record.agree(difference < 1e-5,
               "largest difference of a component from either peer's " + rounded(difference, 2));
  compare_threads(record, set, fourier, rounds);
}

}  // namespace muster::bench
