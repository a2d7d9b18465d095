#include "muster/source/set_source.h"

#include <sys/stat.h>

#include <numeric>
#include <sstream>

#include "muster/cluster/division_meter.h"
#include "muster/cluster/shared_for.h"
#include "muster/cluster/world.h"
#include "muster/core/parallel.h"
#include "muster/image/decode.h"

namespace muster {

namespace {

// "item reason" in lines of an item's number, the length of the reason and the reason.
std::string text_of(std::span<const ItemFailure> failures) {
  std::string out;
  for (const ItemFailure& failure : failures)
    out += fmt::format("{} {} {}\n", failure.item, failure.reason.size(), failure.reason);
  return out;
}

void add_failures(const std::string& text, std::vector<ItemFailure>& out) {
  std::istringstream in(text);
  for (size_t item = 0, length = 0; in >> item >> length;) {
    std::string reason(length, ' ');
    in.ignore(1).read(reason.data(), static_cast<std::streamsize>(length));
    out.push_back({item, std::move(reason)});
  }
}

}  // namespace

std::vector<ItemFailure> SetSource::visit(const Extraction* extraction,
                                          std::span<const size_t> items, const Body& body,
                                          const Progress& progress) const {
  if (!divides_here()) {
    std::vector<ItemFailure> failures;
    do_divided(items.size(), [&] { failures = visit_here(extraction, items, body, progress); });
    return failures;
  }
  std::vector<size_t> own, positions;
  for (size_t i = 0; i < items.size(); ++i)
    if (rank_of_item(items[i]) == world().rank()) {
      own.push_back(items[i]);
      positions.push_back(i);
    }
  std::string failed_here;
  run_own_share([&] {
    failed_here = text_of(visit_here(
        extraction, own, [&](size_t i, const VectorSet& set) { body(positions[i], set); },
        progress));
  });
  std::vector<ItemFailure> failures;
  for (const std::string& text : gather_texts(failed_here)) add_failures(text, failures);
  std::ranges::sort(failures, {}, &ItemFailure::item);
  return failures;
}

std::vector<ItemFailure> SetSource::visit_here(const Extraction* extraction,
                                               std::span<const size_t> items, const Body& body,
                                               const Progress& progress) const {
  std::vector<std::string> reasons(items.size());
  const bool pictures = !items.empty() && kind(items[0]) == ItemKind::kImages;
  ProgressStep step(progress, pictures ? "features" : "reading sets", items.size());
  parallel_for(items.size(), 4, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      std::optional<VectorSet> set;
      try {
        set = load(extraction, items[i]);
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::kData) throw;
        reasons[i] = error.what();
      }
      if (set) body(i, *set);
      step.tick();
    }
  });
  std::vector<ItemFailure> failures;
  for (size_t i = 0; i < items.size(); ++i)
    if (!reasons[i].empty()) failures.push_back({items[i], reasons[i]});
  return failures;
}

std::vector<size_t> all_items_of(const SetSource& source) {
  std::vector<size_t> items(source.size());
  std::iota(items.begin(), items.end(), size_t{0});
  return items;
}

VectorSet load_file(const std::string& path, ItemKind kind, const Extraction* extraction) {
  if (kind == ItemKind::kVectorSets) return load_vector_set(path);
  if (!extraction) refuse_picture(path);
  DecodeOptions decode;
  decode.longest_side_px = extraction->max_side_px;
  return extract(*extraction, read_image(path, decode), path);
}

std::string file_stamp(const std::string& path, const std::string& name) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return "";
  return fmt::format("{}\t{}\t{}.{:09}", name, facts.st_size, facts.st_mtim.tv_sec,
                     facts.st_mtim.tv_nsec);
}

void refuse_picture(const std::string& name) {
  throw usage_error("recipe: {} is a picture, so a feature stage such as dsift must come first",
                    name);
}

}  // namespace muster
