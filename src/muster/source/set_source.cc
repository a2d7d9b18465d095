#include "muster/source/set_source.h"

#include <sys/stat.h>

#include <numeric>

#include "muster/core/parallel.h"
#include "muster/image/decode.h"

namespace muster {

std::vector<ItemFailure> SetSource::visit(const Extraction* extraction,
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
