#include "muster/codebook/kmeans.h"

#include <gtest/gtest.h>

#include <set>

#include "muster/core/parallel.h"
#include "muster/math/nearest.h"
#include "support/random_data.h"

namespace muster {
namespace {

KMeansOptions with_words(int words) {
  KMeansOptions options;
  options.words = words;
  return options;
}

TEST(KMeans, FindsWellSeparatedClusters) {
  Matrix<float> vectors = oracle::normal_matrix(300, 4, Rng(1));
  for (size_t i = 0; i < 300; ++i) vectors(i, 0) += 100.0f * static_cast<float>(i % 3);
  const KMeans model = fit_kmeans(with_words(3), vectors, Rng(2));
  std::set<int> found;
  for (size_t j = 0; j < 3; ++j)
    found.insert(static_cast<int>(std::lround(model.centres(j, 0) / 100)));
  EXPECT_EQ(found, (std::set<int>{0, 1, 2}));
  EXPECT_LT(model.error_per_iteration.back(), 8);
}

TEST(KMeans, ErrorNeverRisesAndMoreWordsMeanLessError) {
  const Matrix<float> vectors = oracle::normal_matrix(2000, 8, Rng(3));
  double previous_error = 1e300;
  for (int words : {1, 4, 16, 64}) {
    const KMeans model = fit_kmeans(with_words(words), vectors, Rng(4));
    for (size_t i = 1; i < model.error_per_iteration.size(); ++i)
      EXPECT_LE(model.error_per_iteration[i], model.error_per_iteration[i - 1] * (1 + 1e-6));
    EXPECT_LT(model.error_per_iteration.back(), previous_error);
    previous_error = model.error_per_iteration.back();
  }
}

TEST(KMeans, OneIterationEqualsLloydsUpdate) {
  const Matrix<float> vectors = oracle::normal_matrix(500, 5, Rng(5));
  KMeansOptions options = with_words(7);
  options.iterations = 1;
  const KMeans one = fit_kmeans(options, vectors, Rng(6));
  options.iterations = 2;
  options.tolerance = 0;
  const KMeans two = fit_kmeans(options, vectors, Rng(6));
  std::vector<uint32_t> nearest(500);
  find_nearest(vectors, one.centres, one.half_norms, nearest);
  for (size_t j = 0; j < 7; ++j)
    for (size_t t = 0; t < 5; ++t) {
      double sum = 0, count = 0;
      for (size_t i = 0; i < 500; ++i)
        if (nearest[i] == j) sum += vectors(i, t), ++count;
      ASSERT_GT(count, 0);
      EXPECT_NEAR(two.centres(j, t), sum / count, 1e-6);
    }
}

TEST(KMeans, SameBytesForAnyThreadCount) {
  const Matrix<float> vectors = oracle::normal_matrix(5000, 16, Rng(7));
  std::vector<Matrix<float>> centres;
  for (int threads : {1, 2, 3}) {
    const ThreadLimit limit(threads);
    centres.push_back(fit_kmeans(with_words(50), vectors, Rng(8)).centres);
  }
  EXPECT_EQ(centres[0], centres[1]);
  EXPECT_EQ(centres[0], centres[2]);
}

TEST(KMeans, FewerDistinctVectorsThanWords) {
  Matrix<float> vectors(100, 2);
  for (size_t i = 0; i < 100; ++i) vectors(i, 0) = static_cast<float>(i % 3);
  const KMeans model = fit_kmeans(with_words(10), vectors, Rng(9));
  EXPECT_EQ(model.centres.rows(), 3u);
  EXPECT_NEAR(model.error_per_iteration.back(), 0, 1e-9);
  EXPECT_EQ(fit_kmeans(with_words(10), Matrix<float>(5, 2), Rng(9)).centres.rows(), 1u);
}

TEST(KMeans, NoVectorsIsADataError) {
  EXPECT_THROW(fit_kmeans(with_words(2), Matrix<float>(0, 3), Rng(1)), Error);
}

}  // namespace
}  // namespace muster
