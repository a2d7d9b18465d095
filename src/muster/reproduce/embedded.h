// The files of src/muster/reproduce/experiments, compiled in so that the command finds them from
// anywhere.
#pragma once

#include <string_view>
#include <vector>

namespace muster {

struct EmbeddedExperiment {
  std::string_view name, toml;
};
std::vector<EmbeddedExperiment> embedded_experiments();
extern const std::string_view kEmbeddedData;  // data.toml

}  // namespace muster
