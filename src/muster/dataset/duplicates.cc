#include "muster/dataset/duplicates.h"

#include <algorithm>
#include <map>

#include "muster/core/error.h"
#include "muster/core/parallel.h"
#include "muster/store/checksum.h"
#include "muster/store/mapped_file.h"

namespace muster {
namespace {

struct Fingerprint {
  size_t item;
  uint64_t hash = 0;
  bool readable = true;
};

std::map<uintmax_t, std::vector<size_t>> items_by_size(const Dataset& dataset) {
  std::map<uintmax_t, std::vector<size_t>> out;
  for (size_t i = 0; i < dataset.items.size(); ++i) {
    std::error_code error;
    const uintmax_t size = std::filesystem::file_size(dataset.items[i].path, error);
    if (!error) out[size].push_back(i);
  }
  return out;
}

bool same_bytes(const Dataset& dataset, size_t a, size_t b) {
  const auto first = MappedFile::open(dataset.items[a].path);
  const auto second = MappedFile::open(dataset.items[b].path);
  return std::ranges::equal(first->bytes(), second->bytes());
}

DuplicateGroup describe(const Dataset& dataset, std::vector<size_t> items) {
  DuplicateGroup group;
  const size_t first = items.front();
  for (size_t i : items) {
    group.across_classes |= dataset.labels.of_item[i] != dataset.labels.of_item[first];
    group.across_splits |= dataset.items[i].part != dataset.items[first].part;
  }
  group.items = std::move(items);
  return group;
}

}  // namespace

std::vector<DuplicateGroup> find_duplicates(const Dataset& dataset) {
  std::vector<Fingerprint> prints;
  for (const auto& [size, items] : items_by_size(dataset))
    if (items.size() > 1)
      for (size_t i : items) prints.push_back({i});
  parallel_for(prints.size(), 16, [&](size_t begin, size_t end) {
    for (Fingerprint& print : std::span(prints).subspan(begin, end - begin)) {
      try {
        print.hash = checksum_of(MappedFile::open(dataset.items[print.item].path)->bytes());
      } catch (const Error&) {
        print.readable = false;
      }
    }
  });
  std::map<uint64_t, std::vector<size_t>> by_hash;
  for (const Fingerprint& print : prints)
    if (print.readable) by_hash[print.hash].push_back(print.item);

  std::vector<DuplicateGroup> groups;
  for (auto& [hash, items] : by_hash) {
    std::ranges::sort(items);
    // Two files of one hash that differ are possible in principle; they are not duplicates.
    std::erase_if(items,
                  [&, first = items.front()](size_t i) { return !same_bytes(dataset, first, i); });
    if (items.size() > 1) groups.push_back(describe(dataset, std::move(items)));
  }
  std::ranges::sort(groups, {}, [](const DuplicateGroup& group) { return group.items.front(); });
  return groups;
}

}  // namespace muster
