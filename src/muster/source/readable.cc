#include "muster/source/readable.h"

#include <numeric>
#include <set>

#include "muster/cluster/world.h"
#include "muster/store/checksum.h"

namespace muster {

std::vector<size_t> items_of_part(const Dataset& dataset, Part part) {
  std::vector<size_t> out;
  bool marks = false;
  for (size_t i = 0; i < dataset.items.size(); ++i) {
    marks = marks || dataset.items[i].part != Part::kNone;
    if (dataset.items[i].part == part) out.push_back(i);
  }
  if (out.empty() && marks)
    throw data_error(
        "{}: none of its {} items is marked for {}; put some there, or name the folder of the "
        "others itself to use them for this",
        dataset.root.string(), dataset.items.size(), part == Part::kTrain ? "training" : "testing");
  if (!out.empty()) return out;
  out.resize(dataset.items.size());
  std::iota(out.begin(), out.end(), size_t{0});
  return out;
}

void require_same_items(const SetSource& source) {
  if (world().size() == 1) return;
  std::string names;
  for (size_t i = 0; i < source.size(); ++i) names += source.name(i) + '\n';
  require_alike(
      fmt::format("{} items, {:016x}", source.size(), checksum_of(std::as_bytes(std::span(names)))),
      "the list of items", "give all machines the same files under the same names");
}

Readable readable_items(const SetSource& source, std::span<const Extraction* const> extractions,
                        std::span<const size_t> wanted, const Progress& progress) {
  Readable out;
  std::set<size_t> bad;
  for (const Extraction* extraction : extractions)
    for (ItemFailure& failure : source.prepare(extraction, wanted, progress))
      if (bad.insert(failure.item).second) out.left_out.push_back(std::move(failure));
  for (const size_t i : wanted)
    if (!bad.contains(i)) out.items.push_back(i);
  if (out.items.empty()) refuse_unreadable(source, wanted.size(), out.left_out);
  return out;
}

void refuse_unreadable(const SetSource& source, size_t num_wanted,
                       std::span<const ItemFailure> failures) {
  throw data_error("{}none of its {} items can be read, the first because: {}",
                   source.root().empty() ? "" : source.root() + ": ", num_wanted,
                   failures.empty() ? "there is none" : failures.front().reason);
}

}  // namespace muster
