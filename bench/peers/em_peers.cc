// EM of a diagonal mixture side by side with VLFeat's vl_gmm, one thread, from the same first
// mixture with equal numbers of iterations; then kernel matrices of densities on all cores, beside
// a factorisation per pair by Eigen.
//   em_peers [OUT.json] [ROUNDS]
extern "C" {
#include <vl/generic.h>
#include <vl/gmm.h>
}

#include <Eigen/Cholesky>
#include <cmath>

#include "muster/core/parallel.h"
#include "muster/density/pdf_kl.h"
#include "muster/density/pdf_product.h"
#include "muster/mixture/gmm_fit.h"
#include "peers/side_by_side.h"

namespace muster::bench {
namespace {

constexpr size_t kVectors = 100000, kComponents = 128, kDim = 50;
constexpr int kIterations = 10;
constexpr size_t kSets = 1500, kSetDim = 40, kSetSize = 200;

// Clusters that overlap, with variances that fall as those of principal components do.
Matrix<float> vectors_like_pca(size_t n, size_t dim) {
  Rng rng(1);
  Matrix<float> centres(300, dim), out(n, dim);
  for (float& value : centres.values()) value = static_cast<float>(rng.normal());
  for (size_t i = 0; i < n; ++i) {
    const size_t c = rng.below(300);
    for (size_t t = 0; t < dim; ++t)
      out(i, t) = static_cast<float>((centres(c, t) + 0.7 * rng.normal()) /
                                     std::sqrt(1.0 + static_cast<double>(t)));
  }
  return out;
}

// Means at random vectors, each component with the variance of the whole.
Gmm first_mixture(const Matrix<float>& data, const Moments& whole) {
  const std::vector<size_t> chosen = Rng(2).sample(data.rows(), kComponents);
  Matrix<double> means(kComponents, kDim), variances(kComponents, kDim);
  for (size_t m = 0; m < kComponents; ++m)
    for (size_t t = 0; t < kDim; ++t) {
      means(m, t) = data(chosen[m], t);
      variances(m, t) = whole.covariance(t, t);
    }
  return Gmm(std::vector<double>(kComponents, 1.0 / kComponents), std::move(means),
             std::move(variances), CovarianceKind::kDiagonal);
}

double mean_log_likelihood(const Gmm& mixture, const Matrix<float>& data) {
  GmmStatistics statistics(mixture.num_components(), mixture.dim(), mixture.kind());
  statistics.add(mixture, data);
  return statistics.log_likelihood / static_cast<double>(data.rows());
}

GmmFit our_em(const Matrix<float>& data, const Moments& whole, const Gmm& start) {
  GmmOptions options;
  options.components = kComponents;
  options.prior = GmmPriorKind::kNone;
  options.iterations = kIterations;
  options.tolerance = 0;
  options.floor = 1e-6;
  return refine_gmm(options, start, data, whole);
}

std::vector<float> narrowed(std::span<const double> values) {
  return {values.begin(), values.end()};
}

Contender vlfeat(const Matrix<float>& data, const Gmm& start, double* likelihood) {
  return {"VLFeat vl_gmm",
          [&data, &start, likelihood] {
            VlGMM* gmm = vl_gmm_new(VL_TYPE_FLOAT, kDim, kComponents);
            vl_gmm_set_initialization(gmm, VlGMMCustom);
            vl_gmm_set_max_num_iterations(gmm, kIterations);
            vl_gmm_set_num_repetitions(gmm, 1);
            vl_gmm_set_means(gmm, narrowed(start.means().values()).data());
            vl_gmm_set_covariances(gmm, narrowed(start.covariances().values()).data());
            vl_gmm_set_priors(gmm, narrowed(start.weights()).data());
            vl_gmm_cluster(gmm, data.data(), data.rows());
            const auto values = [&](const void* from, size_t count) {
              const auto* floats = static_cast<const float*>(from);
              return std::vector<double>(floats, floats + count);
            };
            const std::vector<double> means = values(vl_gmm_get_means(gmm), kComponents * kDim);
            const std::vector<double> variances =
                values(vl_gmm_get_covariances(gmm), kComponents * kDim);
            const MatrixView<const double> mean_view(means.data(), kComponents, kDim);
            const MatrixView<const double> variance_view(variances.data(), kComponents, kDim);
            if (*likelihood == 0)  // once: it is not part of the race
              *likelihood = mean_log_likelihood(
                  Gmm(values(vl_gmm_get_priors(gmm), kComponents), Matrix<double>(mean_view),
                      Matrix<double>(variance_view), CovarianceKind::kDiagonal),
                  data);
            vl_gmm_delete(gmm);
          },
          Role::kPeer};
}

struct Seconds {
  std::string name;
  double wall_s;
};

// Wall time on all cores, the best of three.
template <class Work>
Seconds timed(const std::string& name, const Work& work) {
  double best = 1e300;
  for (int round = 0; round < 3; ++round) {
    const double start = clock_seconds(CLOCK_MONOTONIC);
    work();
    best = std::min(best, clock_seconds(CLOCK_MONOTONIC) - start);
  }
  std::printf("%-52s %10.3f s\n", name.c_str(), best);
  return {name, best};
}

std::vector<Seconds> density_grams() {
  std::vector<VectorSet> sets;
  const Matrix<float> all = vectors_like_pca(kSets * kSetSize, kSetDim);
  for (size_t i = 0; i < kSets; ++i)
    sets.push_back({Matrix<float>(all.view().slice_rows(i * kSetSize, kSetSize)), {}});
  const Sample sample{all, {}, 0};
  std::printf("\nkernel matrices of %zu sets, %zu dimensions, full covariance, all cores\n", kSets,
              kSetDim);
  std::vector<Seconds> out;
  Matrix<double> gram(kSets, kSets);
  const auto run = [&](const char* name, const SetKernel& kernel) {
    Represented represented(kSets);
    out.push_back(timed(std::string(name) + ", represent", [&] {
      parallel_for(kSets, 4, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) represented[i] = kernel.represent(sets[i]);
      });
    }));
    out.push_back(timed(std::string(name) + ", Gram",
                        [&] { kernel.gram(represented, represented, gram, {}); }));
  };
  run("pdf-bhattacharyya", *fit_pdf_bhattacharyya({}, sample, Rng(1), {}));
  run("pdf-kl", *fit_pdf_kl({}, sample, Rng(1), {}));
  // What the pairs of the upper triangle would cost with a library's factorisation each.
  const Eigen::MatrixXd random = Eigen::MatrixXd::Random(kSetDim, 2 * kSetDim),
                        a = random * random.transpose();
  constexpr size_t kTried = 20000;
  double sum = 0;
  Seconds eigen = timed("Eigen, 20,000 factorisations and solves, one core", [&] {
    Eigen::VectorXd mean = Eigen::VectorXd::Ones(kSetDim);
    for (size_t i = 0; i < kTried; ++i) {
      const Eigen::LLT<Eigen::MatrixXd> factor(a + 1e-3 * static_cast<double>(i % 7) * a);
      factor.matrixL().solveInPlace(mean);
      sum += mean[0] + factor.matrixLLT().diagonal().array().log().sum();
    }
  });
  std::printf("(%g) for all pairs on one core: %.1f s\n", sum * 0,
              eigen.wall_s / kTried * static_cast<double>(kSets * (kSets + 1) / 2));
  out.push_back(eigen);
  return out;
}

}  // namespace

void race(Record& record, const Arguments& args) {
  const int rounds = args.rounds_or(5);
  vl_set_num_threads(1);
  const Matrix<float> data = vectors_like_pca(kVectors, kDim);
  const Moments whole = sample_moments(data);
  const Gmm start = first_mixture(data, whole);
  double our_likelihood = 0, vl_likelihood = 0;
  record.race({"EM", "mixture of 128 diagonal Gaussians, 100,000 x 50, 10 iterations", "iteration",
               kIterations},
              {{"muster EM",
                [&] { our_likelihood = our_em(data, whole, start).objective_per_iteration.back(); },
                Role::kOurs},
               vlfeat(data, start, &vl_likelihood)},
              rounds);
  record.agree(std::abs(our_likelihood - vl_likelihood) < 0.01 * std::abs(vl_likelihood),
               "log likelihood per vector: muster " + rounded(our_likelihood, 5) + ", VLFeat " +
                   rounded(vl_likelihood, 5));
  Gmm fitted = start;
  record.compare_threads([&] { fitted = our_em(data, whole, start).mixture; },
                         [&] { return bytes_of(fitted.means().values()); }, std::min(rounds, 3));
  const std::vector<Seconds> grams = density_grams();
  nlohmann::json gram_json = nlohmann::json::array();
  for (const Seconds& row : grams)
    gram_json.push_back({{"name", row.name}, {"wall_s", row.wall_s}});
  record.note("density_grams_all_cores", gram_json);
}

}  // namespace muster::bench
