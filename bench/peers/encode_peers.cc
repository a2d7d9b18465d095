// Encoding one set (1000 x 128 -> 1000) by the efficient match kernels, beside the bound set by the fastest
// packaged sgemm of the same shape alone; one thread.
//   encode_peers [OUT.json] [ROUNDS]
#include <cblas.h>

#include "muster/core/parallel.h"
#include "muster/math/gemm.h"
#include "muster/setfeature/bow.h"
#include "muster/setfeature/emk_cksvd.h"
#include "muster/setfeature/emk_fourier.h"
#include "peers/blas_kernels.h"
#include "peers/side_by_side.h"

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

Contender encoder(const char* name, const VectorSet& set, SetFeature feature) {
  auto shared = std::make_shared<SetFeature>(std::move(feature));
  return {name, [&set, shared] {
            std::vector<float> out(shared->dim());
            for (int i = 0; i < kRepeats; ++i) shared->encode(set, out);
          }};
}

Contender sgemm(const char* name, const VectorSet& set, bool openblas) {
  return {name, [&set, openblas] {
            static Matrix<float> products(kVectors, kOut);
            for (int i = 0; i < kRepeats; ++i) {
              if (openblas)
                cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, kVectors, kOut, kDim, 1, set.vectors.data(), kDim,
                            set.vectors.data(), kDim, 0, products.data(), kOut);
              else
                gemm_nt(set.vectors, set.vectors, products);
            }
          }};
}

int run(int argc, char** argv) {
  const ThreadLimit one_thread(1);
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 20;
  const VectorSet set = random_set();
  const Sample sample{set.vectors, {}, 0};
  EmkFourierOptions fourier;
  EmkCksvdOptions cksvd;
  cksvd.basis.iterations = 0;
  BowOptions bow;
  const auto timings = alternate({sgemm("sgemm alone (oneDNN)", set, false), sgemm("sgemm alone (OpenBLAS)", set, true),
                                  encoder("emk-fourier", set, fit_emk_fourier(fourier, sample, Rng(1), {})),
                                  encoder("emk-cksvd", set, fit_emk_cksvd(cksvd, sample, Rng(1), {})),
                                  encoder("bow", set, fit_bow(bow, sample, Rng(1), {}))},
                                 rounds);
  std::printf("encoding %zu x %zu -> %zu, one thread, %d rounds\n", kVectors, kDim, kOut, rounds);
  print_table(timings, kRepeats, "set");
  if (argc > 1)
    write_json(argv[1], {{"benchmark", "encode"},
                         {"machine", machine_facts()},
                         {"openblas_coretype", std::getenv("OPENBLAS_CORETYPE")},
                         {"results", to_json(timings)}});
  return 0;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  muster::bench::restart_with_best_openblas(argv);
  return muster::bench::run(argc, argv);
}
