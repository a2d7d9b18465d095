// Where sets come from: a data set on disk (dataset_source.h), or what a program names or holds in
// memory (input_source.h), with a cache in front of either (cached_source.h). Training and
// prediction take their items from a SetSource and from nothing else.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "muster/core/progress.h"
#include "muster/core/vector_set.h"
#include "muster/dataset/dataset.h"
#include "muster/source/extraction.h"

namespace muster {

struct ItemFailure {
  size_t item;
  std::string reason;
};

// Thread-safe. One virtual call per item.
class SetSource {
 public:
  virtual ~SetSource() = default;
  virtual size_t size() const = 0;
  // What the item is called in messages.
  virtual std::string name(size_t item) const = 0;
  virtual ItemKind kind(size_t item) const = 0;
  // The set of an item, before any reduction: a vector set as it is, for which `extraction` is
  // ignored, or the features of a picture, which without an extraction is a usage error. An item
  // that cannot be read is a data error that names it.
  virtual VectorSet load(const Extraction* extraction, size_t item) const = 0;
  // Loads each of the items once, over threads, and calls body(position in `items`, set) with it;
  // returns those that cannot be read, in order. This is the pass that fills caches. `body` must
  // not throw a data error, which would look like one of the item. With several ranks each visits
  // its own items only (rank_of_item), and all get the failures of all.
  using Body = std::function<void(size_t position, const VectorSet& set)>;
  std::vector<ItemFailure> visit(const Extraction* extraction, std::span<const size_t> items,
                                 const Body& body, const Progress& progress) const;
  // The same without anything to do: which items cannot be read?
  std::vector<ItemFailure> prepare(const Extraction* extraction, std::span<const size_t> items,
                                   const Progress& progress) const {
    return visit(
        extraction, items, [](size_t, const VectorSet&) {}, progress);
  }

  // The folder that the names of its items are relative to; empty if there is none.
  virtual std::string root() const { return ""; }
  // Names the present state of a file among all those under root(): its name, size and time of
  // change; empty if the item is not a file.
  virtual std::string stamp(size_t) const { return ""; }
  // Whether the item is in memory as the set that load() gives, so that keeping it would be a copy.
  virtual bool in_memory(size_t) const { return false; }

 protected:
  // visit() by this rank alone.
  virtual std::vector<ItemFailure> visit_here(const Extraction* extraction,
                                              std::span<const size_t> items, const Body& body,
                                              const Progress& progress) const;
};

// All of its items, in order.
std::vector<size_t> all_items_of(const SetSource& source);

// A file of either kind.
VectorSet load_file(const std::string& path, ItemKind kind, const Extraction* extraction);
// The stamp of a file called `name`; empty if it is gone.
std::string file_stamp(const std::string& path, const std::string& name);
// For a picture without a feature stage.
[[noreturn]] void refuse_picture(const std::string& name);

}  // namespace muster
