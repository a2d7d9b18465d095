// The recipes that `auto` judges, with parameters that follow the data.
#pragma once

#include <string>
#include <vector>

#include "muster/choose/data_facts.h"
#include "muster/pipeline/choice.h"
#include "muster/recipe/recipe.h"

namespace muster {

// A branch of a recipe. Costs are in millions of multiplications, of which forecasts and the choice
// between equals are made; never measured, so that a choice does not depend on the clock.
struct CostedBranch {
  std::string recipe;
  double cost = 0;        // of turning one item into a vector
  double learn_cost = 0;  // of learning the mixture
};

struct Candidate {
  std::string name;  // in words
  Recipe recipe;     // ends in linear-svm or kernel-svm
  std::vector<CostedBranch> parts;

  // Of turning one item into a vector.
  double cost() const {
    double sum = 0;
    for (const CostedBranch& part : parts) sum += part.cost;
    return sum;
  }
};

// For training on `items` items like those looked at. The list has the same candidates in the same
// order for any number of items; only their parameters differ.
std::vector<Candidate> propose(const DataLook& look, Effort effort, size_t items);

}  // namespace muster
