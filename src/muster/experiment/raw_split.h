// One split of one method as a file under OUT/raw: written when it is done, and taken from there
// when the same run is started again.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "muster/core/matrix.h"
#include "muster/results/results.h"

namespace muster {

struct RawSplit {
  std::string key;  // of everything that the result depends on
  SplitResult result;
  Matrix<double> probabilities;  // one row per test item; empty unless a fusion needs them
};

void write_raw_split(const std::filesystem::path& file, const RawSplit& split);

// None if the file is missing, has another key, or is damaged: then the split is run again.
std::optional<RawSplit> read_raw_split(const std::filesystem::path& file, const std::string& key,
                                       size_t num_classes);

}  // namespace muster
