#include "muster/kernelweights/kernel_weights.h"

#include <gtest/gtest.h>

#include <numeric>

#include "muster/core/parallel.h"
#include "muster/core/rng.h"
#include "muster/kernelweights/weight_rules.h"
#include "oracle/kernel_weights.h"
#include "oracle/svm.h"
#include "support/expect_error.h"

namespace muster {
namespace {

constexpr WeightRule kRules[] = {WeightRule::kUniform,   WeightRule::kQp,  WeightRule::kLp,
                                 WeightRule::kAlignment, WeightRule::kSdp, WeightRule::kMkl,
                                 WeightRule::kHeldOut};

// Kernels that see the classes more or less well: exp(-|x - y|^2) of points that move apart with
// the class.
struct Problem {
  Problem(size_t n, size_t count, uint64_t seed, int classes = 2) {
    for (int c = 0; c < classes; ++c) labels.class_names.push_back(std::to_string(c));
    Rng rng(seed);
    for (size_t i = 0; i < n; ++i) labels.of_item.push_back({static_cast<int>(i) % classes});
    for (size_t j = 0; j < count; ++j) {
      const double apart = 0.4 + 0.5 * static_cast<double>((j * 7) % count),
                   scale = 1 + static_cast<double>(j);
      Eigen::MatrixXd points(static_cast<Eigen::Index>(n), 2);
      for (Eigen::Index i = 0; i < points.rows(); ++i)
        for (Eigen::Index d = 0; d < 2; ++d)
          points(i, d) = rng.normal() + (d == 0 ? apart * labels.first(static_cast<size_t>(i)) : 0);
      Eigen::MatrixXd gram(points.rows(), points.rows());
      for (Eigen::Index p = 0; p < gram.rows(); ++p)
        for (Eigen::Index q = 0; q < gram.rows(); ++q)
          gram(p, q) = scale * std::exp(-0.5 * (points.row(p) - points.row(q)).squaredNorm());
      grams.push_back(gram);
    }
    similarity.resize(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
    for (Eigen::Index p = 0; p < similarity.rows(); ++p)
      for (Eigen::Index q = 0; q < similarity.rows(); ++q)
        similarity(p, q) =
            labels.first(static_cast<size_t>(p)) == labels.first(static_cast<size_t>(q));
  }

  KernelTiles tiles() const {
    return {labels.size(), grams.size(), [this](const Tile& tile, MatrixView<double> out) {
              for (size_t k = 0; k < grams.size(); ++k)
                for (size_t i = 0; i < tile.num_rows; ++i)
                  for (size_t j = 0; j < tile.num_cols; ++j)
                    out(k, i * tile.num_cols + j) =
                        grams[k](static_cast<Eigen::Index>(tile.row + i),
                                 static_cast<Eigen::Index>(tile.col + j));
            }};
  }

  // Two classes only.
  Matrix<double> svm(MatrixView<const double> gram, double cost) const {
    oracle::Rows rows(gram.rows);
    std::vector<double> targets;
    for (size_t i = 0; i < gram.rows; ++i) {
      rows[i].assign(gram.row(i).begin(), gram.row(i).end());
      targets.push_back(labels.first(i) == 0 ? 1 : -1);
    }
    double offset = 0;
    const auto duals =
        oracle::c_svc(rows, targets, std::vector<double>(gram.rows, cost), offset, 300);
    Matrix<double> out(1, gram.rows);
    std::ranges::copy(duals, out.row(0).begin());
    return out;
  }

  std::vector<double> learn(WeightRule rule, LearningOptions options = {}) const {
    const std::vector<double> given(grams.size(), 1.0);
    return learn_weights({rule, options}, tiles(), labels, given,
                         [&](MatrixView<const double> gram) { return svm(gram, options.mkl_cost); },
                         {})
        .at(0)
        .shares;
  }

  Labels labels;
  oracle::Grams grams;
  Eigen::MatrixXd similarity;
};

// All points of the simplex with multiples of 1 / steps.
std::vector<std::vector<double>> simplex_grid(int steps) {
  std::vector<std::vector<double>> out;
  for (int a = 0; a <= steps; ++a)
    for (int b = 0; a + b <= steps; ++b)
      out.push_back({a / static_cast<double>(steps), b / static_cast<double>(steps),
                     (steps - a - b) / static_cast<double>(steps)});
  return out;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double out = 0;
  for (size_t i = 0; i < a.size(); ++i) out = std::max(out, std::abs(a[i] - b[i]));
  return out;
}

TEST(KernelMoments, EqualTheFormulasPlainAndCentredOverManyTiles) {
  const Problem problem(205, 3, 1, 3);
  oracle::Grams grams = problem.grams;
  grams.push_back(problem.similarity);
  for (const bool centre : {false, true}) {
    const KernelMoments moments =
        kernel_moments(problem.tiles(), LabelSimilarity(problem.labels, false, false), centre, {});
    for (size_t i = 0; i < grams.size(); ++i)
      for (size_t j = 0; j < grams.size(); ++j) {
        const Eigen::MatrixXd a = centre ? oracle::centred(grams[i]) : grams[i],
                              b = centre ? oracle::centred(grams[j]) : grams[j];
        const double expected = a.cwiseProduct(b).sum();
        EXPECT_NEAR(moments.products(i, j), expected, 1e-9 * grams[i].norm() * grams[j].norm());
      }
    for (size_t j = 0; j < 3; ++j) EXPECT_EQ(moments.largest[j], problem.grams[j].maxCoeff());
  }
}

TEST(KernelMoments, BalancedMomentsAreThoseOfRepeatedItems) {
  // One item of the first class for every two of the second: the rare class counts twice.
  Problem problem(9, 2, 5);
  for (size_t i = 0; i < 9; ++i) problem.labels.of_item[i] = {i % 3 == 0 ? 0 : 1};
  std::vector<Eigen::Index> repeated;
  Labels repeated_labels = problem.labels;
  repeated_labels.of_item.clear();
  for (size_t i = 0; i < 9; ++i)
    for (int times = 0; times < (i % 3 == 0 ? 2 : 1); ++times) {
      repeated.push_back(static_cast<Eigen::Index>(i));
      repeated_labels.of_item.push_back(problem.labels.of_item[i]);
    }
  Problem twice(repeated.size(), 2, 5);
  twice.labels = repeated_labels;
  for (size_t j = 0; j < 2; ++j) twice.grams[j] = problem.grams[j](repeated, repeated);
  for (const bool centre : {false, true}) {
    const KernelMoments one =
        kernel_moments(problem.tiles(), LabelSimilarity(problem.labels, true, false), centre, {});
    const KernelMoments two =
        kernel_moments(twice.tiles(), LabelSimilarity(twice.labels, false, false), centre, {});
    const double scale = std::pow(9.0 / 12.0, 2);  // item weights have mean 1
    for (size_t i = 0; i < one.products.size(); ++i)
      EXPECT_NEAR(one.products.data()[i], scale * two.products.data()[i], 1e-10);
  }
}

TEST(LabelSimilarity, OfSeveralLabels) {
  const Labels labels{{"a", "b", "c"}, {{0, 1}, {1}, {2}, {0, 1}, {}}, {}};
  const LabelSimilarity shared(labels, false, false), overlap(labels, false, true);
  EXPECT_EQ(shared(0, 1), 1);
  EXPECT_EQ(shared(0, 2), 0);
  EXPECT_EQ(shared(4, 4), 0);
  EXPECT_NEAR(overlap(0, 1), 1 / std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(overlap(0, 3), 1, 1e-15);
}

TEST(KernelWeights, QpIsTheBestOfAllOfTheSimplex) {
  for (const bool centre : {false, true}) {
    Problem problem(30, 3, 2);
    LearningOptions options;
    options.lambda = 0.02;
    options.centre = centre;
    const std::vector<double> u = problem.learn(WeightRule::kQp, options);
    // The kernel with weights as given (all 1), scaled to a largest value of 1.
    Eigen::MatrixXd whole = problem.grams[0] + problem.grams[1] + problem.grams[2];
    whole /= whole.maxCoeff();
    Eigen::MatrixXd similarity = problem.similarity;
    if (centre) {
      whole = oracle::centred(whole);
      similarity = oracle::centred(similarity);
      for (Eigen::MatrixXd& gram :
           problem.grams) {  // divided by their largest values before they are centred
        gram = oracle::centred(gram / gram.maxCoeff());
      }
    }
    const double ridge = 0.02 * whole.squaredNorm();
    const auto value = [&](const std::vector<double>& at) {
      Eigen::MatrixXd k = Eigen::MatrixXd::Zero(30, 30);
      for (size_t j = 0; j < 3; ++j)
        k += at[j] * problem.grams[j] / (centre ? 1 : problem.grams[j].maxCoeff());
      return (k - similarity).squaredNorm() +
             ridge * std::inner_product(at.begin(), at.end(), at.begin(), 0.0);
    };
    double best = INFINITY;
    std::vector<double> best_at;
    for (const auto& at : simplex_grid(200))
      if (value(at) < best) best = value(at), best_at = at;
    EXPECT_LE(value(u), best + 1e-9);
    EXPECT_LT(largest_difference(u, best_at), 0.006);
  }
}

TEST(KernelWeights, QpIsPulledTowardTheWeightsGiven) {
  const Problem problem(30, 3, 2);
  LearningOptions options;
  options.lambda = 1e6;
  EXPECT_LT(
      largest_difference(problem.learn(WeightRule::kQp, options), {1.0 / 3, 1.0 / 3, 1.0 / 3}),
      1e-3);
  options.toward = PullToward::kGiven;
  // Given weights of 1 for kernels with largest values 1, 2, 3.
  EXPECT_LT(
      largest_difference(problem.learn(WeightRule::kQp, options), {1.0 / 6, 2.0 / 6, 3.0 / 6}),
      1e-3);
}

TEST(KernelWeights, AutomaticLambdaOffersAGrid) {
  const Problem problem(20, 3, 2);
  LearningOptions options;
  options.lambda.reset();
  const auto all = learn_weights({WeightRule::kQp, options}, problem.tiles(), problem.labels,
                                 std::vector<double>(3, 1.0), {}, {});
  EXPECT_GT(all.size(), 3u);
  for (size_t i = 1; i < all.size(); ++i) EXPECT_LT(all[i].lambda, all[i - 1].lambda);
}

TEST(KernelWeights, LpHasNoBetterPointAround) {
  for (uint64_t seed = 1; seed < 4; ++seed) {
    const Problem problem(24, 3, seed);
    std::vector<double> largest;
    for (const auto& gram : problem.grams) largest.push_back(gram.maxCoeff());
    const std::vector<double> u =
        lp_weights(problem.tiles(), LabelSimilarity(problem.labels, false, false), largest);
    const double best = oracle::hinge_objective(problem.grams, problem.similarity, u);
    Rng rng(seed);
    for (int trial = 0; trial < 300; ++trial) {  // convex: a local optimum is a global one
      std::vector<double> other = u;
      const double size = std::pow(10, -rng.uniform(0, 4));
      for (double& value : other) value = std::max(0.0, value + size * rng.normal());
      EXPECT_GE(oracle::hinge_objective(problem.grams, problem.similarity, other), best - 1e-7);
    }
  }
}

TEST(KernelWeights, LpTakesNegativeKernelValues) {
  Problem problem(16, 2, 3);
  problem.grams[0].array() -= 0.3;
  std::vector<double> largest{problem.grams[0].cwiseAbs().maxCoeff(), problem.grams[1].maxCoeff()};
  const std::vector<double> u =
      lp_weights(problem.tiles(), LabelSimilarity(problem.labels, false, false), largest);
  const double best = oracle::hinge_objective(problem.grams, problem.similarity, u);
  for (const double a : {-0.01, 0.0, 0.01})
    for (const double b : {-0.01, 0.0, 0.01})
      EXPECT_GE(oracle::hinge_objective(problem.grams, problem.similarity,
                                        {std::max(0.0, u[0] + a), std::max(0.0, u[1] + b)}),
                best - 1e-7);
}

TEST(KernelWeights, AlignmentIsTheBestOfAllOfTheSimplex) {
  for (uint64_t seed = 1; seed < 5; ++seed) {
    const Problem problem(30, 3, seed, 3);
    const std::vector<double> u = problem.learn(WeightRule::kAlignment);
    double best = 0;
    for (const auto& at : simplex_grid(100))
      best = std::max(best, oracle::alignment(problem.grams, problem.similarity, at));
    EXPECT_GE(oracle::alignment(problem.grams, problem.similarity, u), best - 1e-12);
  }
}

TEST(KernelWeights, SdpFindsTheAlignment) {
  const Problem problem(30, 4, 3);
  EXPECT_LT(
      largest_difference(problem.learn(WeightRule::kSdp), problem.learn(WeightRule::kAlignment)),
      1e-3);
}

TEST(KernelWeights, MklIsTheBestOfAllOfTheSimplex) {
  const Problem problem(20, 3, 4);
  const auto optimum = [&](const std::vector<double>& u) {
    const Eigen::MatrixXd k = oracle::combined(problem.grams, u);
    Matrix<double> gram(20, 20);
    for (size_t i = 0; i < 400; ++i) gram.data()[i] = k.data()[i];
    const Matrix<double> duals = problem.svm(gram, 10);
    double value = 0;
    for (size_t i = 0; i < 20; ++i) {
      value += std::abs(duals(0, i));
      for (size_t j = 0; j < 20; ++j) value -= 0.5 * duals(0, i) * duals(0, j) * gram(i, j);
    }
    return value;
  };
  const double found = optimum(problem.learn(WeightRule::kMkl));
  for (const auto& at : simplex_grid(8)) EXPECT_LE(found, optimum(at) * (1 + 2e-3));
}

// The least loss over lengths of v and steepness.
double held_out_loss(const Problem& problem, const std::vector<double>& u) {
  oracle::Grams grams;
  std::vector<double> units;
  for (const Eigen::MatrixXd& gram : problem.grams)
    units.push_back(oracle::centred(gram).trace() / gram.cwiseAbs().maxCoeff());
  std::vector<int> classes;
  std::vector<size_t> groups = problem.labels.group;
  for (size_t i = 0; i < problem.labels.size(); ++i) {
    classes.push_back(problem.labels.first(i));
    if (problem.labels.group.empty()) groups.push_back(i);
  }
  double least = INFINITY;
  for (double length = 0.1; length < 1e3; length *= 1.4)
    for (double steepness = 0.1; steepness < 100; steepness *= 1.4) {
      std::vector<double> v = u;
      double sum = 0;
      for (size_t j = 0; j < v.size(); ++j) sum += v[j] *= units[j];
      for (double& value : v) value *= length / sum;
      least = std::min(least, oracle::held_out_loss(problem.grams, classes, groups, v, steepness));
    }
  return least;
}

TEST(KernelWeights, HeldOutIsTheBestOfAllOfTheSimplex) {
  for (const bool grouped : {false, true}) {
    Problem problem(28, 3, 4);
    for (size_t i = 0; grouped && i < problem.labels.size(); ++i)
      problem.labels.group.push_back(i % 2 + 2 * (i / 4));
    const double found = held_out_loss(problem, problem.learn(WeightRule::kHeldOut));
    for (const auto& at : simplex_grid(6)) {
      if (std::ranges::min(at) == 0) continue;  // log v is not finite there
      EXPECT_LE(found, held_out_loss(problem, at) + 2e-3) << at[0] << " " << at[1];
    }
  }
}

TEST(KernelWeights, HeldOutGivesNoiseLittleWeight) {
  Problem problem(90, 3, 5, 3);
  problem.grams[1] = Problem(90, 3, 6, 1).grams[1];  // its points know of one class only
  EXPECT_LT(problem.learn(WeightRule::kHeldOut)[1], 0.15);
  for (auto& item : problem.labels.of_item)  // classes as labels of which an item may have several
    if (item[0] == 2) item = {0, 1};
  problem.labels.class_names.pop_back();
  EXPECT_LT(problem.learn(WeightRule::kHeldOut)[1], 0.15);
}

TEST(KernelWeights, OneKernelHasWeightOneByAllRules) {
  const Problem problem(12, 1, 1);
  for (const WeightRule rule : kRules) EXPECT_EQ(problem.learn(rule), std::vector<double>{1.0});
}

TEST(KernelWeights, FollowTheOrderOfTheKernels) {
  const Problem problem(20, 3, 6);
  Problem turned = problem;
  std::swap(turned.grams[0], turned.grams[2]);
  for (const WeightRule rule : kRules) {
    std::vector<double> expected = problem.learn(rule);
    std::swap(expected[0], expected[2]);
    EXPECT_LT(largest_difference(turned.learn(rule), expected),
              rule == WeightRule::kSdp || rule == WeightRule::kHeldOut ? 1e-4 : 1e-6)
        << kWeightRuleNames[static_cast<size_t>(rule)];
  }
}

TEST(KernelWeights, AKernelOfZerosHasNone) {
  Problem problem(14, 3, 6);
  problem.grams[1].setZero();
  for (const WeightRule rule : kRules) {
    const std::vector<double> u = problem.learn(rule);
    EXPECT_EQ(u[1], 0);
    EXPECT_NEAR(u[0] + u[2], 1, 1e-12);
  }
  for (auto& gram : problem.grams) gram.setZero();
  for (const WeightRule rule : kRules) EXPECT_NEAR(problem.learn(rule)[1], 1.0 / 3, 1e-12);
}

TEST(KernelWeights, ThreadsDoNotChangeABit) {
  const Problem problem(300, 3, 8);
  for (const WeightRule rule : {WeightRule::kQp, WeightRule::kAlignment, WeightRule::kHeldOut}) {
    const ThreadLimit one(1);
    const std::vector<double> expected = problem.learn(rule);
    const ThreadLimit two(2);
    EXPECT_EQ(problem.learn(rule), expected);
  }
}

TEST(KernelWeights, LpSaysWhereItHasNoAnswer) {
  // Fifteen classes of two items: nearly all pairs differ.
  const Problem problem(30, 2, 1, 15);
  EXPECT_THROW(problem.learn(WeightRule::kLp), Error);
}

}  // namespace
}  // namespace muster
