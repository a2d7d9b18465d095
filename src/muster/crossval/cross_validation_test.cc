#include "muster/crossval/cross_validation.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/labelled_data.h"

namespace muster {
namespace {

Labels random_labels(bool multi) {
  Labels out;
  const int k = *rc::gen::inRange(1, 6);
  const int n = *rc::gen::inRange(1, 80);
  for (int c = 0; c < k; ++c) out.class_names.push_back(std::to_string(c));
  for (int i = 0; i < n; ++i) {
    out.of_item.emplace_back();
    if (!multi) out.of_item.back().push_back(*rc::gen::inRange(0, k));
    for (int c = 0; multi && c < k; ++c)
      if (*rc::gen::inRange(0, 3) == 0) out.of_item.back().push_back(c);
  }
  return out;
}

RC_GTEST_PROP(CrossValidation, FoldsAreEvenAndStratified, ()) {
  const Labels labels = random_labels(false);
  const int folds = *rc::gen::inRange(2, 11);
  const std::vector<int> fold_of = stratified_folds(labels, folds, Rng(1));
  RC_ASSERT(fold_of == stratified_folds(labels, folds, Rng(1)));
  std::vector<int> sizes(static_cast<size_t>(folds));
  Matrix<int> by_class(static_cast<size_t>(labels.num_classes()), sizes.size());
  for (size_t i = 0; i < labels.size(); ++i) {
    RC_ASSERT(fold_of[i] >= 0 && fold_of[i] < folds);
    ++sizes[static_cast<size_t>(fold_of[i])];
    ++by_class(static_cast<size_t>(labels.first(i)), static_cast<size_t>(fold_of[i]));
  }
  RC_ASSERT(std::ranges::max(sizes) - std::ranges::min(sizes) <= 1);
  for (size_t c = 0; c < by_class.rows(); ++c)
    RC_ASSERT(std::ranges::max(by_class.row(c)) - std::ranges::min(by_class.row(c)) <= 1);
}

RC_GTEST_PROP(CrossValidation, MultiLabelFoldsAreEven, ()) {
  const Labels labels = random_labels(true);
  const std::vector<int> fold_of = stratified_folds(labels, 4, Rng(1));
  std::vector<int> sizes(4);
  for (const int fold : fold_of) ++sizes[static_cast<size_t>(fold)];
  RC_ASSERT(std::ranges::max(sizes) - std::ranges::min(sizes) <= 1);
}

TEST(CrossValidation, GroupsStayInOneFold) {
  Labels labels{{"a", "b"}, {}, {}};
  std::vector<std::string> objects;
  for (int i = 0; i < 24; ++i) {
    labels.of_item.push_back({i / 12});
    objects.push_back("object" + std::to_string(i / 3));
  }
  EXPECT_EQ(usable_folds(labels, 10), 10);
  labels.group_by(objects);
  EXPECT_EQ(usable_folds(labels, 10), 4);
  const std::vector<int> fold_of = stratified_folds(labels, 4, Rng(4));
  std::vector<int> sizes(4);
  for (size_t i = 0; i < labels.size(); ++i) {
    EXPECT_EQ(fold_of[i], fold_of[i - i % 3]);
    ++sizes[static_cast<size_t>(fold_of[i])];
  }
  EXPECT_EQ(sizes, (std::vector<int>{6, 6, 6, 6}));
  const std::vector<size_t> some{0, 1, 12};
  EXPECT_EQ(labels.select(some).group, (std::vector<size_t>{0, 0, 4}));
}

TEST(CrossValidation, SmallClassesMeanFewerFolds) {
  const auto labels_of = [](std::vector<int> classes) {
    Labels labels;
    labels.class_names = {"a", "b", "c"};
    for (const int c : classes) labels.of_item.push_back({c});
    return labels;
  };
  EXPECT_EQ(usable_folds(labels_of({0, 1, 2}), 10), 0);
  EXPECT_EQ(usable_folds(labels_of({0, 0, 1}), 10), 2);
  EXPECT_EQ(usable_folds(labels_of({0, 0, 0, 0, 1, 1, 1, 1, 2}), 10), 4);
  EXPECT_EQ(usable_folds(labels_of(std::vector<int>(30, 1)), 10), 10);
}

// A solver that scores by the C itself shows that ties go to the smaller C and what is held out.
TEST(CrossValidation, TakesTheSmallestOfTheBestAndHidesTheHeldOut) {
  const testing_data::Data data = testing_data::blobs(30, 2, 3, 1, 1);
  const auto problems = make_problems("test", data.labels, Scheme::kOneVsAll);
  const PathSolver solver = [&](const CvTask& task, MatrixView<double> decisions) {
    EXPECT_FALSE(task.held_out.empty());
    for (const size_t i : task.held_out) EXPECT_EQ(task.problem.targets[i], 0);
    EXPECT_EQ(task.problem.count(0), task.held_out.size());
    for (size_t c = 0; c < task.grid.size(); ++c)
      for (size_t j = 0; j < task.held_out.size(); ++j) {
        // Right from C = 10 on. A problem is known by the class of its positive items.
        size_t known = 0;
        while (task.problem.targets[known] <= 0) ++known;
        const bool same = data.labels.first(known) == data.labels.first(task.held_out[j]);
        decisions(c, j) = task.grid[c] >= 10 && same ? 1 : 0;
      }
    return int64_t{1};
  };
  CvOptions options;
  const CvResult result = cross_validate(options, data.labels, problems, solver, Rng(1), {});
  EXPECT_EQ(result.statistics.C, 10);
  EXPECT_EQ(result.statistics.folds, 10);
  EXPECT_EQ(result.statistics.iterations, 30);
  EXPECT_EQ(result.statistics.table.back().score, 1);
  EXPECT_LT(result.statistics.table.front().score, 0.5);
}

// Right near one value of C only: values beyond the middle of the grid are tried one by one, as
// long as that helps.
TEST(CrossValidation, GoesOnWhereTheBestLiesAtTheEdge) {
  const testing_data::Data data = testing_data::blobs(30, 2, 3, 1, 1);
  const auto problems = make_problems("test", data.labels, Scheme::kOneVsAll);
  using Values = std::vector<double>;
  for (const auto& [right, expected] : {std::pair{0.1, Values{0.1, 1, 3, 10, 30, 100}},
                                        {1.0, Values{0.1, 1, 3, 10, 30, 100}},
                                        {3.0, Values{1, 3, 10, 30, 100}},
                                        {30.0, Values{3, 10, 30, 100}},
                                        {100.0, Values{3, 10, 30, 100, 300}},
                                        {1000.0, Values{3, 10, 30, 100, 300, 1000}}}) {
    const PathSolver solver = [&, peak = right](const CvTask& task, MatrixView<double> decisions) {
      size_t known = 0;
      while (task.problem.targets[known] <= 0) ++known;
      for (size_t c = 0; c < task.grid.size(); ++c) {
        const double distance = std::abs(std::log10(task.grid[c] / peak));
        for (size_t j = 0; j < task.held_out.size(); ++j) {
          const size_t item = task.held_out[j];
          // Fewer items are right the further away from the peak.
          const bool right_here = static_cast<double>(item % 30) >= 7 * distance;
          decisions(c, j) = (data.labels.first(known) == data.labels.first(item)) == right_here;
        }
      }
      return int64_t{1};
    };
    const FitStatistics statistics =
        cross_validate(CvOptions(), data.labels, problems, solver, Rng(1), {}).statistics;
    Values tried;
    for (const CvRow& row : statistics.table) tried.push_back(row.C);
    EXPECT_EQ(statistics.C, right);
    EXPECT_EQ(tried, expected) << right;
  }
}

TEST(CrossValidation, TypicalityIsTheShareOfLowerScores) {
  FitStatistics statistics;
  EXPECT_FALSE(statistics.typicality(1));
  statistics.known_scores = {-1, 0, 0, 2, 3};
  for (const auto& [score, share] :
       {std::pair{-5.0, 0.0}, {-1.0, 0.0}, {-0.5, 0.125}, {1.0, 0.625}, {3.0, 1.0}, {9.0, 1.0}})
    EXPECT_NEAR(statistics.typicality(score).value(), share, 1e-12) << score;
  TensorMap map;
  statistics.save(TensorWriter(map));
  EXPECT_EQ(FitStatistics::load(TensorReader(map)).known_scores, statistics.known_scores);
}

}  // namespace
}  // namespace muster
