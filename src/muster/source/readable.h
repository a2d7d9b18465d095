// Which items to work on: the part that a data set marks, and of that what can be read.
#pragma once

#include "muster/source/set_source.h"

namespace muster {

// The items that the data mark as `part`, or all if they mark no parts. If they mark the other part
// only, that is a data error: testing on training items must never happen unnoticed.
std::vector<size_t> items_of_part(const Dataset& dataset, Part part);

// With several ranks: refuses sources that differ between them, by the names of their items.
void require_same_items(const SetSource& source);

struct Readable {
  std::vector<size_t> items;
  std::vector<ItemFailure> left_out;
};
// Of `wanted`, what can be read by every extraction, and why the others cannot. Not a single
// readable item is a data error.
Readable readable_items(const SetSource& source, std::span<const Extraction* const> extractions,
                        std::span<const size_t> wanted, const Progress& progress);

// For that error.
[[noreturn]] void refuse_unreadable(const SetSource& source, size_t num_wanted,
                                    std::span<const ItemFailure> failures);

}  // namespace muster
