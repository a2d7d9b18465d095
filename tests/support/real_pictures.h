// Pictures of the data sets, for tests that want more than drawn ones.
#pragma once

#include <cstdlib>
#include <filesystem>

#include "muster/image/decode.h"

namespace muster {

// A few pictures of scene-15, one of each class in turn; none if the data are absent.
inline std::vector<Image> real_pictures(size_t count) {
  namespace fs = std::filesystem;
  const char* folder = std::getenv("MUSTER_DATA");
  const fs::path root = fs::path(folder ? folder : MUSTER_DEFAULT_DATA) / "scene-15";
  std::vector<fs::path> classes;
  if (!fs::is_directory(root)) return {};
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.is_directory()) classes.push_back(entry.path());
  std::ranges::sort(classes);
  std::vector<Image> out;
  for (size_t i = 0; i < std::min(count, classes.size()); ++i) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(classes[i])) files.push_back(entry.path());
    out.push_back(read_image(*std::ranges::min_element(files)));
  }
  return out;
}

}  // namespace muster
