#include "muster/crossval/calibration.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "muster/core/rng.h"

namespace muster {
namespace {

Labels names_only(int classes) {
  Labels out;
  for (int c = 0; c < classes; ++c) out.class_names.push_back(std::to_string(c));
  return out;
}

TEST(Calibration, FindsTheTemperatureThatMadeTheLabels) {
  Rng rng(1);
  Labels labels = names_only(3);
  Matrix<double> scores(20000, 3);
  for (size_t i = 0; i < scores.rows(); ++i) {
    double weights[3], sum = 0;
    for (size_t k = 0; k < 3; ++k) {
      scores(i, k) = rng.normal();
      sum += weights[k] = std::exp(2.5 * scores(i, k));
    }
    double draw = rng.uniform() * sum;
    int label = 0;
    while (label < 2 && draw > weights[label]) draw -= weights[label++];
    labels.of_item.push_back({label});
  }
  EXPECT_NEAR(Calibration::fit(scores, labels).temperature(), 2.5, 0.1);
}

TEST(Calibration, FindsTheSigmoidThatMadeTheLabels) {
  Rng rng(2);
  Labels labels = names_only(1);
  Matrix<double> scores(20000, 1);
  for (size_t i = 0; i < scores.rows(); ++i) {
    scores(i, 0) = rng.normal();
    const double p = 1 / (1 + std::exp(-3 * scores(i, 0) + 1));
    labels.of_item.push_back(rng.uniform() < p ? std::vector<int>{0} : std::vector<int>{});
  }
  const Calibration fitted = Calibration::fit(scores, labels);
  Matrix<double> probe(3, 1);
  probe(0, 0) = -1;
  probe(2, 0) = 1;
  const Matrix<double> p = fitted.probabilities(probe);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(p(i, 0), 1 / (1 + std::exp(-3 * probe(i, 0) + 1)), 0.02);
}

TEST(Calibration, SeparableScoresGiveNoCertainty) {
  Labels one = names_only(2), multi = names_only(2);
  Matrix<double> scores(20, 2);
  for (size_t i = 0; i < 20; ++i) {
    scores(i, i % 2) = 5;
    one.of_item.push_back({static_cast<int>(i % 2)});
    multi.of_item.push_back(i % 2 == 0 ? std::vector<int>{0} : std::vector<int>{});
  }
  for (const Labels& labels : {one, multi}) {
    const Matrix<double> p = Calibration::fit(scores, labels).probabilities(scores);
    EXPECT_GT(p(0, 0), 0.9);
    EXPECT_LT(p(0, 0), 0.999);
  }
}

TEST(Calibration, ScoresThatSayNothing) {
  Labels labels = names_only(3);
  Matrix<double> scores(9, 3);
  for (int i = 0; i < 9; ++i) labels.of_item.push_back({i % 3});
  const Matrix<double> p = Calibration::fit(scores, labels).probabilities(scores);
  for (const double value : p.values()) EXPECT_NEAR(value, 1.0 / 3, 1e-12);
}

RC_GTEST_PROP(Calibration, TheMostProbableClassIsThePredictedOne, ()) {
  Matrix<double> scores(1, 4);
  const double base = *rc::gen::inRange(-3, 3);
  // Down to the last bit apart, or far apart.
  for (double& s : scores.values())
    s = base + *rc::gen::inRange(0, 5) * *rc::gen::element(2.3e-16, 1e-12, 1.0, 1000.0);
  const Calibration calibration = Calibration::identity(4, false);
  const Matrix<double> p = calibration.probabilities(scores);
  RC_ASSERT(std::ranges::max_element(p.row(0)) - p.row(0).begin() ==
            std::ranges::max_element(scores.row(0)) - scores.row(0).begin());
}

TEST(Calibration, LoadsWhatItSaved) {
  for (const bool multi : {false, true}) {
    TensorMap map;
    Calibration::identity(3, multi).save(TensorWriter(map));
    const Calibration loaded = Calibration::load(TensorReader(map));
    EXPECT_EQ(loaded.num_classes(), 3);
    EXPECT_EQ(loaded.multi_label(), multi);
  }
}

}  // namespace
}  // namespace muster
