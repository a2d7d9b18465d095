// What `muster info` shows of a neural network's file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "common.h"

namespace muster::cli {

void show_network(const std::string& file, const Common& common);

}  // namespace muster::cli
