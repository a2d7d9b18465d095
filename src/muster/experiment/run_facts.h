// What a result record says of the machine, the data and the protocol.
#pragma once

#include <span>
#include <string>

#include "muster/dataset/dataset.h"
#include "muster/evaluate/splits.h"
#include "muster/results/results.h"

namespace muster {

MachineFacts machine_facts();
// Changes when an item, its size or its labels do.
std::string data_key(const Dataset& dataset, std::span<const size_t> items);
Facts protocol_facts(const ProtocolOptions& protocol);

}  // namespace muster
