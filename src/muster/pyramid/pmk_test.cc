#include "muster/pyramid/pmk.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "muster/core/parallel.h"
#include "muster/math/symmetric_eigen.h"
#include "muster/pyramid/bin_grid.h"
#include "muster/setkernel/correspondence.h"
#include "oracle/pmk.h"
#include "support/expect_error.h"
#include "support/pyramid_grids.h"
#include "support/set_kernels.h"

namespace muster {
namespace {

VectorSet column(std::initializer_list<float> values) {
  Matrix<float> vectors(values.size(), 1);
  std::ranges::copy(values, vectors.data());
  return set_of(std::move(vectors));
}

PmkOptions options_of(int pyramids, bool shift, PmkNormalise normalise = PmkNormalise::kNone,
                      std::optional<double> scale = 1, bool distance = false) {
  return {pyramids, shift, normalise, scale, distance};
}

double oracle_sum(const Grid& grid, const VectorSet& a, const VectorSet& b, bool distance) {
  double sum = 0;
  for (size_t p = 0; p < grid.offsets.rows(); ++p)
    sum += oracle::pyramid_match(
        oracle::intersections(a.vectors, b.vectors, grid.offset(p), grid.scale), distance);
  return sum;
}

// Two sets of five points in [0, 4): level 0 pairs 0-0 and 2-2, level 1 0-1 and 3-2, level 2 the
// rest.
TEST(Pmk, FigureTwoOfThePaper) {
  const VectorSet y = column({0, 0, 0, 2, 3}), z = column({0, 1, 2, 2, 2});
  const std::vector<long long> shared = oracle::intersections(y.vectors, z.vectors, {0}, 1);
  EXPECT_EQ(shared, (std::vector<long long>{2, 4, 5}));  // so new matches are 2, 2, 1
  EXPECT_EQ(oracle::pyramid_match(shared), 3.25);
  EXPECT_EQ(oracle::pyramid_match_eq8(shared), 3.25);
  const Sets sets{y, z};
  EXPECT_EQ(oracle::gram_of(*fit_pmk(options_of(1, false), all_of(sets), Rng(1), {}), sets)(0, 1),
            3.25);
  EXPECT_EQ(
      oracle::gram_of(*fit_pmk(options_of(1, false, PmkNormalise::kMin), all_of(sets), Rng(1), {}),
                      sets)(0, 1),
      3.25 / 5);
  const auto matches =
      pyramid_matches(*fit_pmk(options_of(1, false), all_of(sets), Rng(1), {}), y, z);
  std::vector<int> by_level(3);
  double sum = 0;
  for (const Correspondence& match : matches)
    ++by_level[static_cast<size_t>(match.level)], sum += match.weight;
  EXPECT_EQ(by_level, (std::vector<int>{2, 2, 1}));
  EXPECT_EQ(sum, 3.25);
}

struct Case {
  size_t d;
  double low, range;
  bool shift;
};

class PmkAgainstOracle : public testing::TestWithParam<Case> {};

TEST_P(PmkAgainstOracle, EqualsItExactly) {
  const auto [d, low, range, shift] = GetParam();
  Sets sets;
  Rng rng(d);
  for (size_t i = 0; i < 24; ++i)
    sets.push_back(whole_numbers(i * i % 61, d, low, range, rng.derive(i)));
  sets.push_back(sets[5]);
  for (const bool distance : {false, true}) {
    const auto kernel = fit_pmk(options_of(shift ? 3 : 1, shift, PmkNormalise::kNone, 1, distance),
                                all_of(sets), Rng(3), {});
    const Grid grid(*kernel);
    const Matrix<double> values = oracle::gram_of(*kernel, sets);
    for (size_t i = 0; i < sets.size(); ++i)
      for (size_t j = i; j < sets.size(); ++j) {
        const bool empty = sets[i].size() == 0 || sets[j].size() == 0;
        ASSERT_EQ(values(i, j), empty ? 0 : oracle_sum(grid, sets[i], sets[j], distance))
            << i << ", " << j;
        ASSERT_EQ(values(i, j), values(j, i));
      }
    // Rows and columns of different sets take another path to the same numbers.
    const Represented all = oracle::represent_all(*kernel, sets);
    Matrix<double> part(3, 20);
    kernel->gram(RepresentedSpan(all).subspan(7, 3), RepresentedSpan(all).first(20), part, {});
    for (size_t i = 0; i < 3; ++i)
      for (size_t j = 0; j < 20; ++j) EXPECT_EQ(part(i, j), values(7 + i, j));
  }
}

INSTANTIATE_TEST_SUITE_P(Grids, PmkAgainstOracle,
                         testing::Values(Case{1, 0, 16, false}, Case{1, -40, 100, true},
                                         Case{2, 1, 1000, false}, Case{2, 1, 1000, true},
                                         Case{3, -8, 8, true}, Case{12, 0, 4, false},
                                         Case{12, -3, 6, true}, Case{70, 0, 2, true},
                                         Case{2, -5e8, 1e9, true}));

TEST(Pmk, EquationEightIsEquationSix) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const VectorSet a = whole_numbers(30, 2, 0, 64, Rng(seed)),
                    b = whole_numbers(17, 2, 0, 64, Rng(seed + 100));
    const auto shared = oracle::intersections(a.vectors, b.vectors, {0, 0}, 1);
    EXPECT_EQ(oracle::pyramid_match(shared), oracle::pyramid_match_eq8(shared));
  }
}

// A bin more to every side is met after one or two levels, whatever the sample was.
TEST(Pmk, TakesVectorsFarOutsideTheSample) {
  Sets sets;
  for (size_t i = 0; i < 6; ++i) sets.push_back(whole_numbers(20, 2, 0, 16, Rng(i)));
  const auto kernel = fit_pmk(options_of(2, true), all_of(sets), Rng(3), {});
  for (double range : {20.0, 100.0, 3000.0}) {
    sets.push_back(whole_numbers(20, 2, 0, range, Rng(7)));
    sets.push_back(whole_numbers(20, 2, -range, 2 * range, Rng(8)));
  }
  const Grid grid(*kernel);
  const Matrix<double> values = oracle::gram_of(*kernel, sets);
  const double bias = std::ldexp(0x155555, grid.planes);  // as the bins of the kernel are aligned
  for (size_t i = 0; i < sets.size(); ++i)
    for (size_t j = 0; j < sets.size(); ++j) {
      double sum = 0;
      for (size_t p = 0; p < 2; ++p) {
        std::vector<double> offset = grid.offset(p);
        for (double& value : offset) value += bias;
        sum += oracle::pyramid_match(
            oracle::intersections(sets[i].vectors, sets[j].vectors, offset, 1));
      }
      EXPECT_EQ(values(i, j), sum) << i << ", " << j;
    }
}

TEST(Pmk, NormalisesAsThePaperSays) {
  Sets sets;
  for (size_t i = 0; i < 5; ++i) sets.push_back(whole_numbers(3 + 5 * i, 2, 0, 32, Rng(i)));
  const auto with = [&](PmkNormalise normalise) {
    return oracle::gram_of(*fit_pmk(options_of(3, true, normalise), all_of(sets), Rng(3), {}),
                           sets);
  };
  const Matrix<double> none = with(PmkNormalise::kNone), min = with(PmkNormalise::kMin),
                       self = with(PmkNormalise::kSelf);
  for (size_t i = 0; i < 5; ++i)
    for (size_t j = 0; j < 5; ++j) {
      EXPECT_EQ(none(i, i), 3 * static_cast<double>(sets[i].size()));
      EXPECT_DOUBLE_EQ(min(i, j),
                       none(i, j) / static_cast<double>(std::min(sets[i].size(), sets[j].size())));
      EXPECT_DOUBLE_EQ(self(i, j), none(i, j) / std::sqrt(none(i, i) * none(j, j)));
    }
}

TEST(Pmk, AnAutomaticScaleOffersFinestLevels) {
  const Sets whole{whole_numbers(50, 3, 0, 200, Rng(1)), whole_numbers(50, 3, 0, 200, Rng(2))};
  PmkOptions options = options_of(1, true, PmkNormalise::kSelf, std::nullopt);
  EXPECT_EQ(Grid(*fit_pmk(options, all_of(whole), Rng(1), {})).scale, 1);
  const auto of_whole = fit_pmk(options, all_of(whole), Rng(1), {});
  const auto offered = of_whole->candidates(oracle::represent_all(*of_whole, whole));
  EXPECT_GT(offered.size(), 1u);
  EXPECT_EQ(oracle::gram_of(*middle_of(offered), whole), oracle::gram_of(*of_whole, whole));
  Sets fractions = whole;
  for (float& value : fractions[0].vectors.row(0)) value = 0;  // the origin, at any scale
  for (VectorSet& set : fractions)
    for (float& value : set.vectors.values()) value /= 300;
  // A finest level one higher is half the scale.
  options.shift = false;
  const auto unshifted = fit_pmk(options, all_of(fractions), Rng(1), {});
  const double scale = Grid(*unshifted).scale;
  const auto candidates = unshifted->candidates(oracle::represent_all(*unshifted, fractions));
  ASSERT_GT(candidates.size(), 1u);
  for (const auto& candidate : candidates) {
    TensorMap map;
    candidate->save(TensorWriter(map));
    options.scale = std::ldexp(scale, -static_cast<int>(TensorReader(map).number("start")));
    EXPECT_EQ(oracle::gram_of(*candidate, fractions),
              oracle::gram_of(*fit_pmk(options, all_of(fractions), Rng(1), {}), fractions));
  }
}

TEST(Pmk, IsPositiveSemiDefinite) {
  Sets sets;
  for (size_t i = 0; i < 40; ++i) sets.push_back(whole_numbers(1 + i * 7 % 30, 4, 0, 6, Rng(i)));
  for (const PmkNormalise normalise : {PmkNormalise::kNone, PmkNormalise::kSelf}) {
    const Matrix<double> values =
        oracle::gram_of(*fit_pmk(options_of(2, true, normalise), all_of(sets), Rng(3), {}), sets);
    const Eigen::MatrixXd matrix = Eigen::Map<const Eigen::MatrixXd>(values.data(), 40, 40);
    EXPECT_GE(symmetric_eigenvalues(matrix)[0], -1e-9);
  }
}

TEST(Pmk, TheOrderOfManySetsAndThreadsDoNotChangeABit) {
  Sets sets;  // more sets than a dense column needs, many of them in few bins
  for (size_t i = 0; i < 70; ++i) sets.push_back(whole_numbers(1 + i * 13 % 90, 3, 0, 20, Rng(i)));
  const auto kernel = fit_pmk(options_of(3, true, PmkNormalise::kSelf), all_of(sets), Rng(3), {});
  const auto with = [&](int threads, const Sets& given) {
    const ThreadLimit limit(threads);
    return oracle::gram_of(*kernel, given);
  };
  const Matrix<double> one = with(1, sets);
  EXPECT_EQ(one, with(2, sets));
  std::reverse(sets.begin(), sets.end());
  const Matrix<double> turned = with(2, sets);
  for (size_t i = 0; i < 70; ++i)
    for (size_t j = 0; j < 70; ++j) EXPECT_EQ(one(i, j), turned(69 - i, 69 - j));
}

// Sets around common centres, with enough bins for many ranges of keys.
Sets many_clustered_bins(size_t d, double range) {
  Matrix<double> centres(10, d);
  Rng rng(d);
  for (double& value : centres.values()) value = rng.uniform(0, range);
  Sets out;
  for (size_t s = 0; s < 40; ++s) {
    Matrix<float> vectors(s % 8 == 0 ? 20 * s : 1500, d);
    for (size_t i = 0; i < vectors.rows(); ++i) {
      const auto centre = centres.row(rng.below(10));
      for (size_t t = 0; t < d; ++t)
        vectors(i, t) = static_cast<float>(std::floor(centre[t] + range / 20 * rng.normal()));
    }
    out.push_back(set_of(std::move(vectors)));
  }
  return out;
}

class PmkOfManyBins : public testing::TestWithParam<std::pair<size_t, double>> {};

TEST_P(PmkOfManyBins, EqualsPairsOneByOneForAnyNumberOfThreads) {
  const auto [d, range] = GetParam();
  const Sets sets = many_clustered_bins(d, range);
  // Fitted on few, so that some sets have longer keys than others.
  const auto kernel = fit_pmk(options_of(1, true), all_of({sets[8]}), Rng(3), {});
  const Represented all = oracle::represent_all(*kernel, sets);
  const auto between = [&](int threads, RepresentedSpan rows, RepresentedSpan cols) {
    const ThreadLimit limit(threads);
    Matrix<double> out(rows.size(), cols.size());
    kernel->gram(rows, cols, out, {});
    return out;
  };
  const RepresentedSpan first = RepresentedSpan(all).first(20),
                        rest = RepresentedSpan(all).subspan(20);
  const Matrix<double> whole = between(1, all, all), corner = between(1, first, rest);
  EXPECT_EQ(whole, between(2, all, all));
  EXPECT_EQ(corner, between(2, first, rest));
  for (size_t i = 0; i < 20; i += 3) {
    const Matrix<double> row = between(2, first.subspan(i, 1), all);
    for (size_t j = 0; j < all.size(); ++j) EXPECT_EQ(whole(i, j), row(0, j)) << i << ", " << j;
    for (size_t j = 20; j < all.size(); ++j) EXPECT_EQ(corner(i, j - 20), row(0, j));
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, PmkOfManyBins,
                         testing::Values(std::pair{size_t{2}, 1e5}, std::pair{size_t{3}, 200.0},
                                         std::pair{size_t{12}, 512.0},
                                         std::pair{size_t{24}, 64.0}));

TEST(Pmk, SharesAreShapleyValuesOfTheMatchAndAddUp) {
  Sets sets{whole_numbers(7, 2, 0, 8, Rng(1))};
  for (size_t i = 0; i < 40; ++i) sets.push_back(whole_numbers(i % 9, 2, -3, 14, Rng(2 + i)));
  std::vector<double> coefficients;
  for (size_t j = 1; j < sets.size(); ++j) coefficients.push_back(Rng(j).normal());
  for (const PmkNormalise normalise : {PmkNormalise::kNone, PmkNormalise::kSelf}) {
    const auto kernel = fit_pmk(options_of(3, true, normalise), all_of(sets), Rng(1), {});
    const Represented all = oracle::represent_all(*kernel, sets);
    const RepresentedSpan training = RepresentedSpan(all).subspan(1);
    const auto shares = kernel->shares(sets[0], training, coefficients);
    ASSERT_TRUE(shares);
    const Matrix<double> row = oracle::gram_of(*kernel, {&all[0], 1}, training);
    double sum = 0, expected = 0;
    for (const double share : shares->values) sum += share;
    for (size_t j = 0; j < training.size(); ++j) expected += coefficients[j] * row(0, j);
    EXPECT_NEAR(sum, expected, 1e-9);
    if (normalise == PmkNormalise::kSelf) continue;  // leaving out a vector changes the norm
    const auto values = oracle::shapley_values(*kernel, sets[0], training, coefficients);
    for (size_t i = 0; i < sets[0].size(); ++i) EXPECT_NEAR(shares->values[i], values[i], 1e-9);
  }
}

TEST(Pmk, RefusesWhatHasNoBin) {
  const Sets sets{whole_numbers(10, 2, 0, 10, Rng(1))};
  const auto kernel = fit_pmk(options_of(1, true), all_of(sets), Rng(1), {});
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 1e30f}) {
    VectorSet set = sets[0];
    set.vectors(3, 1) = bad;
    EXPECT_ERROR(kernel->represent(set), kData, "component 1");
  }
  EXPECT_ERROR(kernel->represent(whole_numbers(3, 5, 0, 4, Rng(1))), kData, "5 components");
  EXPECT_ERROR(fit_pmk(options_of(1, true, PmkNormalise::kNone, 1e12),
                       all_of({whole_numbers(9, 2, 0, 1e9, Rng(1))}), Rng(1), {}),
               kData, "smaller scale");
}

TEST(Pmk, RefusesStoredKeysThatAreNotInOrder) {
  const Sets sets{whole_numbers(10, 2, 0, 1000, Rng(1))};
  const auto kernel = fit_pmk(options_of(1, true), all_of(sets), Rng(1), {});
  TensorMap map;
  kernel->save_represented(oracle::represent_all(*kernel, sets), TensorWriter(map));
  EXPECT_EQ(kernel->load_represented(TensorReader(map)).size(), 1u);
  const auto stored = TensorReader(map).values<uint64_t>("keys");
  TensorWriter(map).put("keys", std::vector<uint64_t>(stored.rbegin(), stored.rend()));
  EXPECT_ERROR(kernel->load_represented(TensorReader(map)), kData, "order of the stored keys");
}

TEST(Pmk, ManyVectorsTakeMemoryOfTheirOwnNumber) {
  const VectorSet many = whole_numbers(100000, 3, -500, 1000, Rng(1));
  const auto kernel = fit_pmk(options_of(1, true), all_of({many}), Rng(1), {});
  const auto represented = kernel->represent(many);
  EXPECT_LE(represented->num_bytes(),
            100000u * 12);  // 11 planes of 3 bits are one word; and a count
  const Represented both{represented, kernel->represent(whole_numbers(10, 3, -500, 1000, Rng(2)))};
  Matrix<double> values(2, 2);
  kernel->gram(both, both, values, {});
  EXPECT_EQ(values(0, 0), 100000);
  double sum = 0;
  for (const Correspondence& match :
       pyramid_matches(*kernel, many, whole_numbers(10, 3, -500, 1000, Rng(2))))
    sum += match.weight;
  EXPECT_EQ(values(0, 1), sum);
}

TEST(PyramidMatches, PairEveryVectorOfTheSmallerSetOnceAndAddUpToTheKernel) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Sets sets{whole_numbers(seed * 3 % 31, 2, -20, 40, Rng(seed)),
                    whole_numbers(15, 2, -20, 40, Rng(seed + 50))};
    const auto kernel = fit_pmk(options_of(1, true), all_of(sets), Rng(seed), {});
    const auto matches = pyramid_matches(*kernel, sets[0], sets[1]);
    ASSERT_EQ(matches.size(), std::min(sets[0].size(), sets[1].size()));
    std::set<size_t> a, b;
    double sum = 0;
    for (const Correspondence& match : matches) {
      a.insert(match.a), b.insert(match.b), sum += match.weight;
      EXPECT_EQ(match.weight, std::ldexp(1.0, -match.level));
      for (size_t t = 0; t < 2; ++t)
        EXPECT_LT(std::abs(sets[0].vectors(match.a, t) - sets[1].vectors(match.b, t)),
                  std::ldexp(1.0, match.level));
    }
    EXPECT_EQ(a.size(), matches.size());
    EXPECT_EQ(b.size(), matches.size());
    EXPECT_EQ(sum, oracle::gram_of(*kernel, sets)(0, 1));
  }
}

}  // namespace
}  // namespace muster
