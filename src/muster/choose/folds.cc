#include "muster/choose/folds.h"

#include <map>
#include <set>

#include "muster/crossval/cross_validation.h"

namespace muster {
namespace {

bool several_classes(const Labels& labels, std::span<const size_t> items) {
  std::set<std::vector<int>> found;
  for (const size_t i : items) {
    found.insert(labels.of_item[i]);
    if (found.size() > 1) return true;
  }
  return false;
}

}  // namespace

std::vector<FoldItems> divide(const Labels& labels, int folds, const Rng& rng) {
  const std::vector<int> fold_of = stratified_folds(labels, folds, rng);
  std::vector<FoldItems> out(static_cast<size_t>(folds));
  for (size_t i = 0; i < labels.size(); ++i)
    for (size_t f = 0; f < out.size(); ++f)
      (static_cast<size_t>(fold_of[i]) == f ? out[f].held_out : out[f].train).push_back(i);
  std::erase_if(out, [&](const FoldItems& fold) {
    return fold.held_out.empty() || !several_classes(labels, fold.train);
  });
  return out;
}

std::vector<size_t> some_of_each(const Labels& labels, size_t most, const Rng& rng) {
  std::vector<size_t> out;
  if (labels.size() <= most) {
    for (size_t i = 0; i < labels.size(); ++i) out.push_back(i);
    return out;
  }
  std::map<int, std::vector<size_t>> by_class;
  for (size_t i = 0; i < labels.size(); ++i) by_class[labels.first(i)].push_back(i);
  for (auto& [label, items] : by_class) {
    rng.derive(static_cast<uint64_t>(label + 1)).shuffle(std::span<size_t>(items));
    const size_t share = std::max<size_t>(2, items.size() * most / labels.size());
    out.insert(out.end(), items.begin(),
               items.begin() + static_cast<long>(std::min(share, items.size())));
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace muster
