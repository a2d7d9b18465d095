#include <gtest/gtest.h>

#include <cmath>

#include "muster/core/parallel.h"
#include "muster/density/pdf_kl.h"
#include "muster/density/pdf_product.h"
#include "oracle/gaussian_kernels.h"
#include "support/random_data.h"

namespace muster {
namespace {

// In pairs of opposite vectors, so that its mean is exactly zero.
Sample sample_of(size_t d) {
  Sample sample{oracle::normal_matrix(500, d, Rng(1)), std::vector<int>(500, -1), 0};
  for (size_t i = 0; i < 250; ++i)
    for (size_t t = 0; t < d; ++t) sample.vectors(250 + i, t) = -sample.vectors(i, t);
  return sample;
}

// Sets that differ in place, spread and size.
std::vector<VectorSet> sets_of(size_t d, size_t count = 4) {
  std::vector<VectorSet> sets;
  for (size_t i = 0; i < count; ++i) {
    sets.push_back(oracle::normal_set(3 + 20 * i % 130, d, Rng(10 + i)));
    for (float& value : sets.back().vectors.values())
      value = value * (0.5f + 0.25f * static_cast<float>(i % 7)) + 0.3f * static_cast<float>(i % 5);
  }
  return sets;
}

// GEN eqs 11, 12 of one Gaussian.
oracle::Gaussian map_gaussian(const Matrix<float>& data, const Sample& sample, double w_mean,
                              double w_cov, bool diagonal) {
  const Moments moments = sample_moments(sample.vectors);
  const auto d = static_cast<Eigen::Index>(moments.mean.size());
  const oracle::Gaussian prior{Eigen::Map<const Eigen::VectorXd>(moments.mean.data(), d),
                               Eigen::Map<const Eigen::MatrixXd>(moments.covariance.data(), d, d)};
  return oracle::map_em_step({{1.0}, {prior}}, data, prior, 0, w_mean, w_cov, diagonal).parts[0];
}

Matrix<double> gram(const SetKernel& kernel, const std::vector<VectorSet>& sets) {
  Represented represented;
  for (const VectorSet& set : sets) represented.push_back(kernel.represent(set));
  Matrix<double> out(sets.size(), sets.size());
  kernel.gram(represented, represented, out, {});
  return out;
}

std::shared_ptr<const SetKernel> product(double rho, CovarianceKind kind, size_t d, bool normalise,
                                         double w_cov = 10) {
  PdfBhattacharyyaOptions options;
  options.rho = rho;
  options.normalise = normalise;
  options.gaussian.covariance = kind;
  options.gaussian.w_cov = w_cov;
  return fit_pdf_bhattacharyya(options, sample_of(d), Rng(1), {});
}

std::shared_ptr<const SetKernel> divergence(CovarianceKind kind, size_t d, double alpha,
                                            double w_cov = 10) {
  PdfKlOptions options;
  options.alpha = alpha;
  options.gaussian.covariance = kind;
  options.gaussian.w_cov = w_cov;
  return fit_pdf_kl(options, sample_of(d), Rng(1), {});
}

constexpr CovarianceKind kKinds[] = {CovarianceKind::kDiagonal, CovarianceKind::kFull};

TEST(PdfKernels, EqualIntegralsInOneAndTwoDimensions) {
  for (const size_t d : {1u, 2u}) {
    const std::vector<VectorSet> sets = sets_of(d, 3);
    for (const CovarianceKind kind : kKinds) {
      // Values of few binary digits: sums over a set are exact in single precision.
      std::vector<VectorSet> rounded = sets;
      for (VectorSet& set : rounded)
        for (float& value : set.vectors.values()) value = std::round(value * 16) / 16;
      const bool diagonal = kind == CovarianceKind::kDiagonal;
      const Matrix<double> bhattacharyya = gram(*product(0.5, kind, d, true), rounded);
      const Matrix<double> other = gram(*product(0.8, kind, d, false), rounded);
      const Matrix<double> kl = gram(*divergence(kind, d, 0.05), rounded);
      for (size_t i = 0; i < sets.size(); ++i)
        for (size_t j = 0; j <= i; ++j) {
          const oracle::Gaussian p =
              map_gaussian(rounded[i].vectors, sample_of(d), 0.1, 10, diagonal);
          const oracle::Gaussian q =
              map_gaussian(rounded[j].vectors, sample_of(d), 0.1, 10, diagonal);
          const double root =
              oracle::integrate(p, q, [](double a, double b) { return std::exp((a + b) / 2); });
          const double power =
              oracle::integrate(p, q, [](double a, double b) { return std::exp(0.8 * (a + b)); });
          const double both = oracle::integrate(
              p, q, [](double a, double b) { return (std::exp(a) - std::exp(b)) * (a - b); });
          EXPECT_NEAR(bhattacharyya(i, j), root, 1e-8);
          EXPECT_NEAR(other(i, j), power, 1e-8);
          EXPECT_NEAR(kl(i, j), std::exp(-0.05 * both), 1e-8);
          // The closed forms themselves, to the accuracy of the integral.
          EXPECT_NEAR(oracle::product_kernel(p, q, 0.5), root, 1e-8);
          EXPECT_NEAR(oracle::product_kernel(p, q, 0.8), power, 1e-8);
          EXPECT_NEAR(oracle::symmetric_divergence(p, q), both, 1e-8 * (1 + both));
        }
    }
  }
}

TEST(PdfKernels, EqualTheClosedFormsInManyDimensions) {
  for (const size_t d : {5u, 23u}) {
    const std::vector<VectorSet> sets = sets_of(d, 35);
    for (const CovarianceKind kind : kKinds) {
      std::vector<oracle::Gaussian> gaussians;
      for (const VectorSet& set : sets)
        gaussians.push_back(
            map_gaussian(set.vectors, sample_of(d), 0.1, 10, kind == CovarianceKind::kDiagonal));
      for (const double rho : {0.5, 1.0, 0.3}) {
        const Matrix<double> ours = gram(*product(rho, kind, d, false), sets);
        for (size_t i = 0; i < sets.size(); i += 3)
          for (size_t j = 0; j < sets.size(); ++j) {
            const double expected = oracle::product_kernel(gaussians[i], gaussians[j], rho);
            EXPECT_NEAR(ours(i, j), expected, 1e-4 * expected) << rho;
          }
      }
      const Matrix<double> kl = gram(*divergence(kind, d, 0.1), sets);
      for (size_t i = 0; i < sets.size(); i += 3)
        for (size_t j = 0; j < sets.size(); ++j)
          EXPECT_NEAR(kl(i, j),
                      std::exp(-0.1 * oracle::symmetric_divergence(gaussians[i], gaussians[j])),
                      1e-4);
    }
  }
}

TEST(PdfKernels, ASetWithItselfIsOneForAnyCovariance) {
  for (const float scale : {1e-3f, 1.0f, 1e3f})
    for (const CovarianceKind kind : kKinds)
      for (const double w_cov : {0.0, 1e-3, 10.0}) {
        std::vector<VectorSet> sets = sets_of(9, 8);
        for (VectorSet& set : sets)
          for (float& value : set.vectors.values()) value *= scale;
        for (const double rho : {0.5, 1.0, 0.2}) {
          const Matrix<double> values = gram(*product(rho, kind, 9, true, w_cov), sets);
          for (size_t i = 0; i < sets.size(); ++i) EXPECT_NEAR(values(i, i), 1, 1e-9);
        }
        const Matrix<double> plain = gram(*product(0.5, kind, 9, false, w_cov), sets);
        const Matrix<double> kl = gram(*divergence(kind, 9, 1, w_cov), sets);
        for (size_t i = 0; i < sets.size(); ++i) {
          EXPECT_NEAR(plain(i, i), 1, 1e-9);
          EXPECT_NEAR(kl(i, i), 1, 1e-6);
        }
      }
}

TEST(PdfKernels, SmallMixturesSumOverTheirComponents) {
  const std::vector<VectorSet> sets = sets_of(2, 6);
  for (const CovarianceKind kind : kKinds) {
    PdfMixtureOptions options;
    options.components = 3;
    options.covariance = kind;
    options.normalise = false;
    const auto kernel = fit_pdf_mixture(options, sample_of(2), Rng(1), {});
    GmmOptions shape;
    shape.components = 3;
    shape.iterations = 10;
    shape.covariance = kind;
    shape.init = GmmInit::kSplit;
    shape.floor = 1e-4;
    const Moments prior = sample_moments(sample_of(2).vectors);
    const Matrix<double> ours = gram(*kernel, sets);
    const auto parts = [&](const VectorSet& set) {
      const Gmm mixture = SetMixtures(shape, prior).fit(set);
      oracle::Mixture out{mixture.weights(), {}};
      for (size_t m = 0; m < mixture.num_components(); ++m) {
        oracle::Gaussian part{Eigen::Vector2d(mixture.means()(m, 0), mixture.means()(m, 1)),
                              Eigen::Matrix2d::Zero()};
        for (Eigen::Index t = 0; t < 2; ++t)
          for (Eigen::Index u = 0; u < 2; ++u)
            if (kind == CovarianceKind::kFull)
              part.covariance(t, u) =
                  mixture.covariance(m)(static_cast<size_t>(t), static_cast<size_t>(u));
            else if (t == u)
              part.covariance(t, t) = mixture.covariances()(m, static_cast<size_t>(t));
        out.parts.push_back(part);
      }
      return out;
    };
    for (size_t i = 0; i < sets.size(); ++i)
      for (size_t j = 0; j < sets.size(); ++j) {
        const oracle::Mixture p = parts(sets[i]), q = parts(sets[j]);
        double expected = 0;
        for (size_t a = 0; a < p.weights.size(); ++a)
          for (size_t b = 0; b < q.weights.size(); ++b)
            expected +=
                p.weights[a] * q.weights[b] * oracle::product_kernel(p.parts[a], q.parts[b], 1);
        EXPECT_NEAR(ours(i, j), expected, 1e-7 * expected);
      }
  }
}

// Fewer vectors than dimensions, equal vectors, one, none: with and without a prior.
TEST(PdfKernels, StayFiniteForDegenerateSets) {
  const size_t d = 30;
  std::vector<VectorSet> sets{oracle::normal_set(0, d, Rng(1)), oracle::normal_set(1, d, Rng(2)),
                              oracle::normal_set(7, d, Rng(3)), oracle::normal_set(50, d, Rng(4))};
  VectorSet equal = oracle::normal_set(20, d, Rng(5));
  for (size_t i = 1; i < 20; ++i)
    std::ranges::copy(equal.vectors.row(0), equal.vectors.row(i).begin());
  sets.push_back(equal);
  for (const CovarianceKind kind : kKinds)
    for (const double w_cov : {0.0, 10.0}) {
      for (const Matrix<double>& values : {gram(*product(0.5, kind, d, true, w_cov), sets),
                                           gram(*product(1, kind, d, true, w_cov), sets),
                                           gram(*divergence(kind, d, 0.08, w_cov), sets)})
        for (double value : values.values()) {
          EXPECT_TRUE(std::isfinite(value));
          EXPECT_GE(value, 0);
          EXPECT_LE(value, 1 + 1e-9);
        }
    }
}

}  // namespace
}  // namespace muster
