#include "muster/evaluate/splits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "muster/core/error.h"

namespace muster {
namespace {

Labels one_label(const std::vector<int>& classes, int num_classes) {
  Labels out;
  for (int c = 0; c < num_classes; ++c) out.class_names.push_back("class " + std::to_string(c));
  for (const int c : classes) out.of_item.push_back({c});
  return out;
}

Labels random_labels() {
  const int k = *rc::gen::inRange(1, 6);
  const int n = *rc::gen::inRange(2, 60);
  std::vector<int> classes;
  for (int i = 0; i < n; ++i) classes.push_back(*rc::gen::inRange(0, k));
  return one_label(classes, k);
}

size_t count_class(const Labels& labels, const std::vector<size_t>& items, int c) {
  return static_cast<size_t>(
      std::ranges::count_if(items, [&](size_t i) { return labels.first(i) == c; }));
}

void assert_disjoint_and_sorted(const Split& split, size_t n) {
  RC_ASSERT(!split.train.empty() && !split.test.empty());
  RC_ASSERT(std::ranges::is_sorted(split.train) && std::ranges::is_sorted(split.test));
  std::set<size_t> seen(split.train.begin(), split.train.end());
  seen.insert(split.test.begin(), split.test.end());
  RC_ASSERT(seen.size() == split.train.size() + split.test.size());
  RC_ASSERT(*seen.rbegin() < n);
}

bool some_class_has_two(const Labels& labels) {
  std::vector<size_t> all(labels.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  for (int c = 0; c < labels.num_classes(); ++c)
    if (count_class(labels, all, c) >= 2) return true;
  return false;
}

RC_GTEST_PROP(Splits, PerClassTakesWhatIsAsked, ()) {
  const Labels labels = random_labels();
  RC_PRE(some_class_has_two(labels));
  ProtocolOptions options;
  options.train = *rc::gen::inRange(1, 10);
  options.test_max = *rc::gen::inRange(0, 5);
  options.splits = 3;
  const Splits splits = make_splits(options, labels, {}, {}, Rng(7));
  RC_ASSERT(splits.list.size() == 3u);
  for (const Split& split : splits.list) {
    assert_disjoint_and_sorted(split, labels.size());
    for (int c = 0; c < labels.num_classes(); ++c) {
      const size_t total = count_class(
          labels,
          [&] {
            std::vector<size_t> all(labels.size());
            for (size_t i = 0; i < all.size(); ++i) all[i] = i;
            return all;
          }(),
          c);
      const size_t train = count_class(labels, split.train, c);
      const size_t test = count_class(labels, split.test, c);
      RC_ASSERT(train == (total <= 1 ? total : std::min<size_t>(options.train, total - 1)));
      const size_t rest = total - train;
      RC_ASSERT(test == (options.test_max == 0 ? rest : std::min<size_t>(rest, options.test_max)));
    }
  }
}

RC_GTEST_PROP(Splits, KFoldTestsEveryItemOnceAndIsStratified, ()) {
  const Labels labels = random_labels();
  ProtocolOptions options;
  options.protocol = Protocol::kKFold;
  options.folds = *rc::gen::inRange(2, 8);
  RC_PRE(labels.size() >= static_cast<size_t>(options.folds));
  const Splits splits = make_splits(options, labels, {}, {}, Rng(3));
  std::vector<int> tested(labels.size());
  for (const Split& split : splits.list) {
    assert_disjoint_and_sorted(split, labels.size());
    RC_ASSERT(split.train.size() + split.test.size() == labels.size());
    for (const size_t i : split.test) ++tested[i];
  }
  RC_ASSERT(std::ranges::all_of(tested, [](int times) { return times == 1; }));
  for (int c = 0; c < labels.num_classes(); ++c) {
    size_t least = labels.size(), most = 0;
    for (const Split& split : splits.list) {
      least = std::min(least, count_class(labels, split.test, c));
      most = std::max(most, count_class(labels, split.test, c));
    }
    RC_ASSERT(most - least <= 1u);
  }
}

TEST(Splits, SameSeedSameSplitsOtherSeedOthers) {
  const Labels labels = one_label(std::vector<int>(100, 0), 1);
  ProtocolOptions options;
  const Splits a = make_splits(options, labels, {}, {}, Rng(1));
  const Splits b = make_splits(options, labels, {}, {}, Rng(1));
  const Splits c = make_splits(options, labels, {}, {}, Rng(2));
  EXPECT_EQ(a.list[3].train, b.list[3].train);
  EXPECT_NE(a.list[3].train, c.list[3].train);
  EXPECT_NE(a.list[0].train, a.list[1].train);
}

// Adding splits must not change those that were there: results are resumed.
TEST(Splits, MoreSplitsKeepTheFirstOnes) {
  const Labels labels = one_label(std::vector<int>(50, 0), 1);
  ProtocolOptions few, many;
  few.splits = 2;
  many.splits = 6;
  EXPECT_EQ(make_splits(few, labels, {}, {}, Rng(1)).list[1].test,
            make_splits(many, labels, {}, {}, Rng(1)).list[1].test);
}

TEST(Splits, SmallClassesAreNoted) {
  ProtocolOptions options;
  options.train = 2;
  const Splits splits = make_splits(options, one_label({0, 0, 0, 1, 1, 2}, 3), {}, {}, Rng(1));
  ASSERT_EQ(splits.notes.size(), 2u);
  EXPECT_THAT(splits.notes[0], testing::HasSubstr("'class 1' has only 2 items"));
  EXPECT_THAT(splits.notes[1], testing::HasSubstr("'class 2' has a single item"));
}

TEST(Splits, LeaveOneObjectOutKeepsObjectsTogether) {
  ProtocolOptions options;
  options.protocol = Protocol::kLeaveOneObjectOut;
  const std::vector<std::string> groups{"cup1", "cup1", "cow1", "cup2", "cow1"};
  const Labels labels = one_label({0, 0, 1, 0, 1}, 2);
  const Splits splits = make_splits(options, labels, groups, {}, Rng(1));
  ASSERT_EQ(splits.list.size(), 3u);
  EXPECT_EQ(splits.list[0].test, (std::vector<size_t>{2, 4}));
  EXPECT_EQ(splits.list[1].test, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(splits.list[1].train, (std::vector<size_t>{2, 3, 4}));
  EXPECT_THROW(make_splits(options, labels, {}, {}, Rng(1)), Error);
}

TEST(Splits, FixedFollowsTheMarks) {
  const std::vector<int> marks{kMarkTest, kMarkTrain, kMarkNone, kMarkTrain};
  const Labels labels = one_label({0, 0, 1, 1}, 2);
  for (const Protocol protocol : {Protocol::kFixed, Protocol::kVoc}) {
    ProtocolOptions options;
    options.protocol = protocol;
    const Splits splits = make_splits(options, labels, {}, marks, Rng(1));
    ASSERT_EQ(splits.list.size(), 1u);
    EXPECT_EQ(splits.list[0].train, (std::vector<size_t>{1, 3}));
    EXPECT_EQ(splits.list[0].test, (std::vector<size_t>{0}));
    EXPECT_EQ(splits.notes.size(), 1u);
  }
  ProtocolOptions options;
  options.protocol = Protocol::kFixed;
  EXPECT_THROW(make_splits(options, labels, {}, {}, Rng(1)), Error);
}

TEST(Splits, VocWithoutMarksHalves) {
  Labels labels;
  labels.class_names = {"a", "b"};
  for (size_t i = 0; i < 41; ++i)
    labels.of_item.push_back(i % 4 == 0 ? std::vector<int>{}
                                        : std::vector<int>{static_cast<int>(i % 2)});
  ProtocolOptions options;
  options.protocol = Protocol::kVoc;
  options.splits = 2;
  const Splits splits = make_splits(options, labels, {}, {}, Rng(1));
  ASSERT_EQ(splits.list.size(), 2u);
  EXPECT_EQ(splits.list[0].train.size(), 21u);
  EXPECT_EQ(splits.list[0].test.size(), 20u);
}

TEST(Splits, PosNegDrawsBothSidesOfEveryConcept) {
  Labels labels;
  labels.class_names = {"a", "b", "rare"};
  for (int i = 0; i < 40; ++i)
    labels.of_item.push_back(i == 0       ? std::vector<int>{2}
                             : i % 2 == 0 ? std::vector<int>{0, 1}
                                          : std::vector<int>{1});
  labels.difficult.resize(40);
  labels.difficult[4] = {0};
  ProtocolOptions options;
  options.protocol = Protocol::kPosNeg;
  options.train = 5;
  options.splits = 2;
  const Splits splits = make_splits(options, labels, {}, {}, Rng(1));
  ASSERT_EQ(splits.list.size(), 2u);  // "b" has one negative, "rare" one positive
  EXPECT_EQ(splits.notes.size(), 2u);
  for (const Split& split : splits.list) {
    EXPECT_EQ(split.label, 0);
    EXPECT_EQ(count_class(labels, split.train, 0), 5u);
    EXPECT_EQ(split.train.size(), 10u);
    EXPECT_EQ(split.train.size() + split.test.size(), 39u);
    EXPECT_FALSE(std::ranges::binary_search(split.train, size_t{4}));
    EXPECT_FALSE(std::ranges::binary_search(split.test, size_t{4}));
  }
}

TEST(Splits, PosNegKeepsHalfOfARareSideForTheTest) {
  Labels labels;
  labels.class_names = {"a"};
  for (int i = 0; i < 40; ++i)
    labels.of_item.push_back(i < 7 ? std::vector<int>{0} : std::vector<int>{});
  ProtocolOptions options;
  options.protocol = Protocol::kPosNeg;
  options.train = 100;
  options.splits = 1;
  const Splits splits = make_splits(options, labels, {}, {}, Rng(1));
  ASSERT_EQ(splits.notes.size(), 1u);
  EXPECT_NE(
      splits.notes[0].find("only 7 positives: 3 of each side are for training instead of 100"),
      std::string::npos);
  EXPECT_EQ(splits.list.at(0).train.size(), 6u);
  EXPECT_EQ(count_class(labels, splits.list.at(0).train, 0), 3u);
  EXPECT_EQ(splits.list.at(0).test.size(), 34u);
}

TEST(Splits, NothingToDivideIsABadDataset) {
  EXPECT_THROW(make_splits({}, Labels{}, {}, {}, Rng(1)), Error);
  EXPECT_THROW(make_splits({}, one_label({0, 1}, 2), {}, {}, Rng(1)), Error);
}

}  // namespace
}  // namespace muster
