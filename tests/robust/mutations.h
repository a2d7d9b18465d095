// Changes of a file of named arrays, one at a time: of each array its presence, type, shape and
// values, and of each entry of text its presence and content.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "muster/core/tensors.h"

namespace muster {

struct Mutation {
  std::string name;
  std::function<void(TensorMap&)> apply;
};

std::vector<Mutation> all_mutations(const TensorMap& map);

// How many mutations to try in all: MUSTER_MUTATIONS, or `usual` without it.
size_t wanted_mutations(size_t usual);

// `count` of them, evenly over the list; all if there are fewer.
std::vector<Mutation> some_of(std::vector<Mutation> all, size_t count);

// From now on a signal, or a mutation that takes more than 20 seconds of the processor or ten
// minutes by the clock (the machine may be busy), says which one it was.
void watch_mutation(const std::string& name);

}  // namespace muster
