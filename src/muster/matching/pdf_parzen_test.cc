#include "muster/matching/pdf_parzen.h"

#include <gtest/gtest.h>

#include <cmath>

#include "muster/matching/sum_match.h"
#include "support/set_kernels.h"

namespace muster {
namespace {

// In one dimension, in units of a window's height.
double density(const VectorSet& set, double z, double h) {
  double sum = 0;
  for (size_t i = 0; i < set.size(); ++i)
    sum += std::exp(-std::pow(z - set.vectors(i, 0), 2) / (2 * h * h));
  return sum / static_cast<double>(set.size());
}

template <class Term>
double integrate(const VectorSet& x, const VectorSet& y, double h, const Term& term) {
  double sum = 0;
  for (double z = -12; z < 12; z += 0.005) sum += term(density(x, z, h), density(y, z, h)) * 0.005;
  return sum;
}

std::vector<VectorSet> line_sets() {
  std::vector<VectorSet> out;
  for (uint64_t s = 0; s < 4; ++s) {
    out.push_back(oracle::normal_set(30 + 20 * s, 1, Rng(s)));
    for (float& value : out.back().vectors.values()) value += 0.7f * static_cast<float>(s);
  }
  return out;
}

TEST(PdfParzen, TheExpectedLikelihoodIsTheIntegral) {
  const double h = 0.4;
  PdfParzenOptions options;
  options.width = h;
  const auto sets = line_sets();
  const Matrix<double> gram = oracle::gram_of(*fit_pdf_parzen(options, {}, Rng(1), {}), sets);
  const auto product = [&](size_t i, size_t j) {
    return integrate(sets[i], sets[j], h, [](double p, double q) { return p * q; });
  };
  for (size_t i = 0; i < sets.size(); ++i)
    for (size_t j = 0; j < sets.size(); ++j)
      EXPECT_NEAR(gram(i, j), product(i, j) / std::sqrt(product(i, i) * product(j, j)), 1e-5);
}

// The sum match kernel of EMK is the correlation of two Parzen densities.
TEST(PdfParzen, TheExpectedLikelihoodIsTheSumMatchKernelNormalised) {
  for (const double h : {0.3, 1.0, 5.0}) {
    PdfParzenOptions options;
    options.width = h;
    SumMatchOptions sum;
    sum.local.gamma = 1 / (4 * h * h);
    const auto sets = oracle::random_sets(9, 7);
    const Matrix<double> parzen = oracle::gram_of(*fit_pdf_parzen(options, {}, Rng(1), {}), sets);
    const Matrix<double> match = oracle::gram_of(*fit_sum_match(sum, {}, Rng(1), {}), sets);
    for (size_t i = 0; i < 9; ++i)
      for (size_t j = 0; j < 9; ++j) {
        const double norm = std::sqrt(match(i, i) * match(j, j));
        EXPECT_NEAR(parzen(i, j), norm > 0 ? match(i, j) / norm : 0, 1e-6);
      }
  }
}

// At the vectors of many, the estimates are near the integrals.
TEST(PdfParzen, TheOthersAreTheirFormulasAndNearTheIntegrals) {
  const double h = 0.5;
  const auto sets = line_sets();
  for (const bool kl : {false, true}) {
    PdfParzenOptions options;
    options.width = h;
    options.kernel = kl ? ParzenKernel::kKl : ParzenKernel::kBhattacharyya;
    options.alpha = 0.5;
    const Matrix<double> gram = oracle::gram_of(*fit_pdf_parzen(options, {}, Rng(1), {}), sets);
    const auto mean = [&](size_t at, size_t other, const auto& term) {
      double sum = 0;
      for (const float z : sets[at].vectors.values())
        sum += term(density(sets[at], z, h), density(sets[other], z, h));
      return sum / static_cast<double>(sets[at].size());
    };
    for (size_t i = 0; i < sets.size(); ++i)
      for (size_t j = 0; j < sets.size(); ++j) {
        if (kl) {
          const auto ratio = [](double p, double q) { return std::log(p / q); };
          EXPECT_NEAR(gram(i, j), std::exp(-0.5 * (mean(i, j, ratio) + mean(j, i, ratio))), 1e-4);
          continue;
        }
        const auto share = [](double p, double q) { return 2 * std::sqrt(p * q) / (p + q); };
        EXPECT_NEAR(gram(i, j), (mean(i, j, share) + mean(j, i, share)) / 2, 1e-5);
        const double height = h * std::sqrt(2 * std::numbers::pi);  // of the unit that is used
        const double integral =
            integrate(sets[i], sets[j], h, [](double p, double q) { return std::sqrt(p * q); }) /
            height;
        EXPECT_NEAR(gram(i, j), integral, 0.06);
      }
    EXPECT_NEAR(gram(2, 2), 1, 1e-6);
  }
}

TEST(PdfParzen, FarSetsHaveAFiniteDivergence) {
  auto sets = line_sets();
  for (float& value : sets[1].vectors.values()) value += 1e4f;
  PdfParzenOptions options;
  options.width = 0.1;
  options.kernel = ParzenKernel::kKl;
  const auto fitted = fit_pdf_parzen(options, {}, Rng(1), {});
  const Represented represented = oracle::represent_all(*fitted, sets);
  const auto candidates = fitted->candidates(represented);
  ASSERT_EQ(candidates.size(), 5u);
  const Matrix<double> gram = oracle::gram_of(*candidates[2], represented, represented);
  EXPECT_GT(gram(0, 1), 0);
  EXPECT_LT(gram(0, 1), gram(0, 2));
}

}  // namespace
}  // namespace muster
