#include "muster/simd/hadamard.h"

#include <gtest/gtest.h>

#include <cmath>

#include "oracle/hadamard.h"
#include "support/random_data.h"

namespace muster {
namespace {

struct Shape {
  size_t vectors, dim, directions;
};

TEST(Hadamard, CosinesAreThoseOfTheMatrixThatItStandsFor) {
  for (const Shape shape : {Shape{1, 64, 64}, Shape{37, 128, 300}, Shape{5, 100, 7},
                            Shape{300, 3, 64}, Shape{2, 200, 300}}) {
    const Matrix<float> vectors = oracle::normal_matrix(shape.vectors, shape.dim, Rng(1));
    std::vector<float> lengths(shape.directions), phases(shape.directions);
    Rng rng(2);
    for (size_t t = 0; t < shape.directions; ++t) {
      lengths[t] = static_cast<float>(rng.uniform(0.1, 3));
      phases[t] = static_cast<float>(rng.uniform(-3, 3));
    }
    const HadamardDirections directions(shape.dim, lengths, Rng(3));
    const Matrix<double> w =
        oracle::directions(shape.dim, directions.lengths(), directions.signs());
    std::vector<float> sum(shape.directions, 1.0f);
    directions.add_cosines(vectors, phases, sum);
    for (size_t t = 0; t < shape.directions; ++t) {
      double expected = 1;
      for (size_t i = 0; i < vectors.rows(); ++i) {
        double angle = phases[t];
        for (size_t c = 0; c < shape.dim; ++c) angle += w(t, c) * vectors(i, c);
        expected += std::cos(angle);
      }
      EXPECT_NEAR(sum[t], expected, 2e-5 * static_cast<double>(1 + vectors.rows()))
          << shape.dim << " " << t;
    }
  }
}

TEST(Hadamard, DirectionsOfABlockAreOrthogonalAndAsLongAsAsked) {
  const std::vector<float> lengths(128, 2.0f);
  const Matrix<double> w =
      oracle::directions(128, lengths, HadamardDirections(128, lengths, Rng(4)).signs());
  for (size_t i = 0; i < 128; ++i)
    for (size_t j = 0; j <= i; ++j) {
      double product = 0;
      for (size_t t = 0; t < 128; ++t) product += w(i, t) * w(j, t);
      EXPECT_NEAR(product, i == j ? 4 : 0, 1e-9);
    }
}

TEST(Hadamard, NoVectorsAddNothing) {
  const HadamardDirections directions(64, {1.0f, 2.0f}, Rng(5));
  std::vector<float> phases(2, 0.0f), sum = {3, 4};
  directions.add_cosines(Matrix<float>(0, 64), phases, sum);
  EXPECT_EQ(sum, (std::vector<float>{3, 4}));
}

}  // namespace
}  // namespace muster
