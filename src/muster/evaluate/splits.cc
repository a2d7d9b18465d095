#include "muster/evaluate/splits.h"

#include <algorithm>
#include <map>

#include "muster/core/error.h"

namespace muster {
namespace {

using Items = std::vector<size_t>;

std::vector<Items> items_of_class(const Labels& labels) {
  std::vector<Items> out(static_cast<size_t>(labels.num_classes()));
  for (size_t i = 0; i < labels.size(); ++i)
    if (labels.first(i) >= 0) out[static_cast<size_t>(labels.first(i))].push_back(i);
  return out;
}

Items shuffled(Items items, Rng rng) {
  rng.shuffle(std::span<size_t>(items));
  return items;
}

void sort_both(Split& split) {
  std::ranges::sort(split.train);
  std::ranges::sort(split.test);
}

// The first `count` of `items` train, the next (at most `most`, 0 for all) test.
void divide(const Items& items, size_t count, size_t most, Split& split) {
  const size_t end = most == 0 ? items.size() : std::min(items.size(), count + most);
  split.train.insert(split.train.end(), items.begin(), items.begin() + static_cast<long>(count));
  split.test.insert(split.test.end(), items.begin() + static_cast<long>(count),
                    items.begin() + static_cast<long>(end));
}

// How many of a class's items train: at least one is left for test if there are two.
size_t train_count(size_t items, size_t wanted) {
  return items <= 1 ? items : std::min(wanted, items - 1);
}

Splits per_class(const ProtocolOptions& options, const Labels& labels, const Rng& rng) {
  const std::vector<Items> classes = items_of_class(labels);
  const auto wanted = static_cast<size_t>(options.train);
  Splits out;
  for (size_t c = 0; c < classes.size(); ++c) {
    const size_t count = classes[c].size();
    if (count == 0 || count > wanted) continue;
    out.notes.push_back(count == 1 ? fmt::format("class '{}' has a single item, which is used for "
                                                 "training; the class is not tested",
                                                 labels.class_names[c])
                                   : fmt::format("class '{}' has only {} items: {} are for "
                                                 "training instead of {}, 1 is for testing",
                                                 labels.class_names[c], count, count - 1, wanted));
  }
  for (int s = 0; s < options.splits; ++s) {
    Split split{static_cast<uint64_t>(s), {}, {}, -1};
    const Rng stream = rng.derive(split.seed);
    for (size_t c = 0; c < classes.size(); ++c)
      divide(shuffled(classes[c], stream.derive(c)), train_count(classes[c].size(), wanted),
             static_cast<size_t>(options.test_max), split);
    out.list.push_back(std::move(split));
  }
  return out;
}

Splits k_fold(const ProtocolOptions& options, const Labels& labels, const Rng& rng) {
  std::vector<Items> folds(static_cast<size_t>(options.folds));
  const std::vector<Items> classes = items_of_class(labels);
  Splits out;
  size_t dealt = 0;
  for (size_t c = 0; c < classes.size(); ++c) {
    if (!classes[c].empty() && classes[c].size() < folds.size())
      out.notes.push_back(
          fmt::format("class '{}' has only {} items for {} folds: not every fold tests it",
                      labels.class_names[c], classes[c].size(), folds.size()));
    for (const size_t item : shuffled(classes[c], rng.derive(c)))
      folds[dealt++ % folds.size()].push_back(item);
  }
  if (dealt < folds.size())
    throw data_error("protocol k-fold: {} labelled items do not fill {} folds; lower folds", dealt,
                     folds.size());
  for (size_t f = 0; f < folds.size(); ++f) {
    Split split{f, {}, folds[f], -1};
    for (size_t g = 0; g < folds.size(); ++g)
      if (g != f) split.train.insert(split.train.end(), folds[g].begin(), folds[g].end());
    out.list.push_back(std::move(split));
  }
  return out;
}

Splits leave_one_object_out(const Labels& labels, std::span<const std::string> groups) {
  if (groups.size() != labels.size())
    throw data_error(
        "protocol leave-one-object-out: the data do not name the objects that items belong to (got "
        "{} names "
        "for {} items); put each object's items into a folder of its own, class/object/item",
        groups.size(), labels.size());
  std::map<std::string, Items> objects;
  for (size_t i = 0; i < groups.size(); ++i) objects[groups[i]].push_back(i);
  if (objects.size() < 2)
    throw data_error("protocol leave-one-object-out: needs at least two objects, found {}",
                     objects.size());
  Splits out;
  for (const auto& [name, items] : objects) {
    Split split{out.list.size(), {}, items, -1};
    for (size_t i = 0; i < groups.size(); ++i)
      if (groups[i] != name) split.train.push_back(i);
    out.list.push_back(std::move(split));
  }
  return out;
}

bool has_marks(std::span<const int> marks) {
  return std::ranges::count(marks, kMarkTrain) > 0 && std::ranges::count(marks, kMarkTest) > 0;
}

Splits fixed(const char* name, const Labels& labels, std::span<const int> marks) {
  if (!has_marks(marks) || marks.size() != labels.size())
    throw data_error(
        "protocol {}: the data do not mark training and test items themselves; use folders train/ "
        "and "
        "test/, or another protocol",
        name);
  Split split;
  size_t unmarked = 0;
  for (size_t i = 0; i < marks.size(); ++i) {
    if (marks[i] == kMarkTrain)
      split.train.push_back(i);
    else if (marks[i] == kMarkTest)
      split.test.push_back(i);
    else
      ++unmarked;
  }
  Splits out{{std::move(split)}, {}};
  if (unmarked > 0)
    out.notes.push_back(
        fmt::format("{} items are marked neither train nor test: left out", unmarked));
  return out;
}

// Items by first label, those without any last: a multi-label item without labels is a negative.
Splits halves(const ProtocolOptions& options, const Labels& labels, const Rng& rng) {
  std::vector<Items> strata = items_of_class(labels);
  strata.emplace_back();
  for (size_t i = 0; i < labels.size(); ++i)
    if (labels.first(i) < 0) strata.back().push_back(i);
  Splits out{{}, {"the data have no division of their own: halves are drawn by seed"}};
  for (int s = 0; s < options.splits; ++s) {
    Split split{static_cast<uint64_t>(s), {}, {}, -1};
    const Rng stream = rng.derive(split.seed);
    size_t dealt = 0;
    for (size_t c = 0; c < strata.size(); ++c)
      for (const size_t item : shuffled(strata[c], stream.derive(c)))
        (dealt++ % 2 == 0 ? split.train : split.test).push_back(item);
    out.list.push_back(std::move(split));
  }
  return out;
}

Splits pos_neg(const ProtocolOptions& options, const Labels& labels, const Rng& rng) {
  Splits out;
  const auto wanted = static_cast<size_t>(options.train);
  for (int label = 0; label < labels.num_classes(); ++label) {
    Items sides[2];
    for (size_t i = 0; i < labels.size(); ++i)
      if (const int target = labels.target(i, label); target != 0) sides[target > 0].push_back(i);
    const std::string& name = labels.class_names[static_cast<size_t>(label)];
    if (sides[0].size() < 2 || sides[1].size() < 2) {
      out.notes.push_back(fmt::format("concept '{}' has {} positives and {} negatives: left out",
                                      name, sides[1].size(), sides[0].size()));
      continue;
    }
    const size_t rarer = std::min(sides[0].size(), sides[1].size()),
                 count = std::min(wanted, rarer / 2);
    if (count < wanted)
      out.notes.push_back(fmt::format(
          "concept '{}' has only {} {}: {} of each side are for training instead of {}", name,
          rarer, sides[1].size() == rarer ? "positives" : "negatives", count, wanted));
    for (int s = 0; s < options.splits; ++s) {
      Split split{static_cast<uint64_t>(s), {}, {}, label};
      const Rng stream = rng.derive(split.seed).derive(static_cast<uint64_t>(label));
      for (const size_t side : {1, 0})
        divide(shuffled(sides[side], stream.derive(side)), count,
               static_cast<size_t>(options.test_max), split);
      out.list.push_back(std::move(split));
    }
  }
  return out;
}

Splits dispatch(const ProtocolOptions& options, const Labels& labels,
                std::span<const std::string> groups, std::span<const int> marks, const Rng& rng) {
  switch (options.protocol) {
    case Protocol::kPerClass:
      return per_class(options, labels, rng.derive("per-class"));
    case Protocol::kKFold:
      return k_fold(options, labels, rng.derive("k-fold"));
    case Protocol::kLeaveOneObjectOut:
      return leave_one_object_out(labels, groups);
    case Protocol::kFixed:
      return fixed("fixed", labels, marks);
    case Protocol::kVoc:
      return has_marks(marks) ? fixed("voc", labels, marks)
                              : halves(options, labels, rng.derive("halves"));
    case Protocol::kPosNeg:
      return pos_neg(options, labels, rng.derive("pos-neg"));
  }
  MUSTER_CHECK(!"unknown protocol");
  return {};
}

}  // namespace

Splits make_splits(const ProtocolOptions& options, const Labels& labels,
                   std::span<const std::string> groups, std::span<const int> marks,
                   const Rng& rng) {
  OptionsOf<ProtocolOptions>(options).validate("protocol");
  if (labels.size() == 0) throw data_error("protocol: there are no items to divide");
  Splits out = dispatch(options, labels, groups, marks, rng);
  if (out.list.empty())
    throw data_error("protocol: no concept has at least two positives and two negatives");
  for (Split& split : out.list) {
    sort_both(split);
    if (split.train.empty() || split.test.empty())
      throw data_error(
          "protocol: split {} has {} training and {} test items, but needs both; at least one "
          "class "
          "must have two labelled items",
          split.seed, split.train.size(), split.test.size());
  }
  return out;
}

}  // namespace muster
