// Protocols: which items train and which test, how often.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "muster/core/labels.h"
#include "muster/core/options.h"
#include "muster/core/rng.h"

namespace muster {

enum class Protocol { kPerClass, kKFold, kLeaveOneObjectOut, kFixed, kVoc, kPosNeg };

struct ProtocolOptions {
  Protocol protocol = Protocol::kPerClass;
  int train = 30;
  int test_max = 0;
  int splits = 5;
  int folds = 10;

  void fields(Fields& f) {
    f.choice("protocol", protocol,
             {"per-class", "k-fold", "leave-one-object-out", "fixed", "voc", "pos-neg"},
             "how items are divided into training and test");
    f("train", train, "per-class: training items per class; pos-neg: positives and negatives each")
        .range(1, 1e6);
    f("test_max", test_max, "per-class: most test items per class; 0 for all the rest")
        .range(0, 1e6);
    f("splits", splits, "how often per-class, pos-neg and halves are drawn again").range(1, 1000);
    f("folds", folds, "k-fold: number of folds").range(2, 1000);
  }
};

struct Split {
  uint64_t seed = 0;  // the number of the split; its items are drawn from the stream of that number
  // Sorted, disjoint, neither empty.
  std::vector<size_t> train, test;
  // pos-neg: the concept (class) this split is about; -1 for all classes.
  int label = -1;
};

struct Splits {
  std::vector<Split> list;
  // What was done otherwise than asked, one sentence each.
  std::vector<std::string> notes;
};

// The marks of a dataset's own division, one per item.
inline constexpr int kMarkNone = 0, kMarkTrain = 1, kMarkTest = 2;

// per-class: `train` items of every class, the rest (at most test_max a class) for test; a class
// with
//   too few items keeps one for test and trains on the others, one with a single item only trains;
//   both noted. An item counts for its first label; items without a label are left out.
// k-fold: stratified by the first label; a class with fewer items than folds is not in every test.
// leave-one-object-out: a split a group, in sorted order; `groups` names each item's object.
// fixed: the dataset's own marks. voc: the same (difficult labels are left out by
//   Labels::target); without marks, halves drawn by seed, stratified by the first label.
// pos-neg: for every concept `train` items with it and `train` without it, the rest for test; at
// most half of the rarer side, so that it is tested, too. Deterministic. Throws a data error if
// the data cannot give what is asked: no items, no groups, no marks, no class with two items, an
// empty side.
Splits make_splits(const ProtocolOptions& options, const Labels& labels,
                   std::span<const std::string> groups, std::span<const int> marks, const Rng& rng);

}  // namespace muster
